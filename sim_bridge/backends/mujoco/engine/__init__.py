"""A scene as a MuJoCo model, the sessions that move in it, and pictures of it."""
