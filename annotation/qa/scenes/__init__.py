"""What is known of a moment: its images, calibrated cameras and true poses, what can be seen of the objects, and where a gripper goes next.

Everything here is read from a robot source; nothing knows of subtasks, projects or the pool, so that a subtask's declaration may use it.
"""
