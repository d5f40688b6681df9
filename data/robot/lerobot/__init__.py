"""LeRobot datasets: what their metadata and tables say, and where each camera's frames lie; read by `data.robot.sources.lerobot`."""
