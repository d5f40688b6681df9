"""Robot arms at a table: set-ups of arms, table, room and things, motions that move them, cameras with exact matrices.

Frames: the world is the robot's base frame, metres: x away from the robot over the table, y to its left, z up, origin on the floor.
A hand's frame: origin between the finger tips, z the approach direction, y the direction in which the fingers open, x towards the hand's
camera.
"""
