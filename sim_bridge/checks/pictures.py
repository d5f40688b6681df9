"""The first observation, and what frames are."""

from __future__ import annotations

import numpy as np

from sim_bridge.checks.probe import START, TOUR, Probe, check, require, same_pose
from sim_bridge.encoding import decode_frame, pixel_hash
from sim_bridge.kinematics import looking
from sim_bridge.spec import Camera


@check("load returns the first observation, with the camera at the start pose and the given seq")
def first_observation(probe: Probe) -> None:
    start = looking(0.3, -1.4, 1.3, yaw_deg=10.0, pitch_deg=-5.0)
    reply = probe.client.load(probe.session(), probe.scene(), start, seq=3)
    require(reply.ok and reply.seq == 3 and not reply.replayed, f"ok {reply.ok}, seq {reply.seq}, replayed {reply.replayed}")
    probe.last(reply.observation.frames)
    same_pose(start, reply.observation.camera, "after load")
    same_pose(start, reply.before, "before, after load")


@check("frames have exactly the camera's width and height")
def frame_size(probe: Probe) -> None:
    probe.need_rendering()
    for width, height in ((160, 120), (201, 97), (64, 64)):
        reply = probe.client.load(probe.session(), probe.scene(camera=Camera(width, height, 70.0)), START)
        frame = probe.last(reply.observation.frames)
        shape = decode_frame(frame).shape
        good = (frame.width, frame.height) == (width, height) and shape == (height, width, 3)
        require(good, f"asked for {width}×{height}: the frame says {frame.width}×{frame.height} and decodes to {shape}")


@check("frames are lossless WebP")
def frame_lossless(probe: Probe) -> None:
    reply = probe.client.load(probe.session(), probe.scene(), START)
    frame = probe.last(reply.observation.frames)
    require(frame.media_type == "image/webp", f"media type {frame.media_type!r}")
    good = frame.data[:4] == b"RIFF" and frame.data[8:12] == b"WEBP" and b"VP8L" in frame.data[:64]
    require(good, f"the data is no lossless WebP, it starts with {frame.data[:16]!r}")


@check("pixel_hash is the SHA-256 of the decoded pixels as the specification defines it")
def hash_of_pixels(probe: Probe) -> None:
    session = probe.session()
    frames = [*probe.client.load(session, probe.scene(), START).observation.frames]
    for i, action in enumerate(TOUR[:3], 1):
        frames += probe.client.act(session, i, action).observation.frames
    for frame in frames:
        expected = pixel_hash(decode_frame(frame))
        require(frame.pixel_hash == expected, f"the frame says {frame.pixel_hash}, its pixels give {expected}")


@check("frames show something, and change when the camera moves or turns")
def frames_follow_camera(probe: Probe) -> None:
    session = probe.session()
    frame = probe.last(probe.client.load(session, probe.scene(), START).observation.frames)
    colors = len(np.unique(decode_frame(frame).reshape(-1, 3), axis=0))
    require(colors > 3, f"the first frame has {colors} colour(s)")
    hashes = [frame.pixel_hash, *probe.walk(session, ("turn_left", "move_forward", "turn_up", "move_right", "move_up"))]
    require(len(set(hashes)) == len(hashes), f"{len(hashes)} different views gave {len(set(hashes))} different frames")


@check("the horizontal field of view is the camera's: an object 35° to the right shows at 100° and not at 50°")
def field_of_view(probe: Probe) -> None:
    probe.need_rendering()
    for hfov, shows in ((100.0, True), (50.0, False)):
        reply = probe.client.load(probe.session(), probe.scene(camera=Camera(96, 72, hfov)), START)
        seen = reply.observation.visible.get("object_2", 0)
        require((seen > 0) == shows, f"field of view {hfov:g}°: {seen} pixels of the object 35° to the right")
