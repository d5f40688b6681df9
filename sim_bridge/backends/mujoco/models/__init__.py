"""The makers of procedural objects, a module for each sort of thing; `registry` lists them. Without MuJoCo."""
