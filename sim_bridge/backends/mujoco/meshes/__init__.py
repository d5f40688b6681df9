"""Triangles and what follows from them: primitives, images, flat tops, contact shapes, a sheet that falls. Without MuJoCo."""
