"""Recording a ground-truth trajectory: somebody of the staff plays a task in the live simulator, and what they did becomes its
trajectory."""
