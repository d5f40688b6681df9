"""What robot sources refuse on purpose; each message is a sentence for the person who meets it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data.store import StoreError

if TYPE_CHECKING:
    from data.robot.records import Report


class RobotError(StoreError):
    """Base of all that is refused about robot sources, episodes and images."""

    code = "robot_error"


class ImageMissing(RobotError):
    """An image is not there, or is not what its name says."""

    code = "image_missing"
    public = "A picture is missing or was changed on the server, so it cannot be shown. Tell whoever runs this study."


class BadImage(RobotError):
    """A file that cannot serve as a camera image."""

    code = "bad_image"


class BadVideo(RobotError):
    """A video, or one frame of it, that cannot be read."""

    code = "bad_video"


class VideoUnavailable(RobotError):
    """The extra that reads videos is not installed."""

    code = "video_unavailable"


class Outside(RobotError):
    """A path that leaves its source: absolute, with ``..``, or through a link."""

    code = "outside"


class UnknownEpisode(RobotError):
    """There is no such episode, source, view or frame."""

    code = "unknown_robot_episode"
    status = 404
    public = "There is no such robot episode, view or frame here."


class NoSource(RobotError):
    """What was named is no source: not there, an archive, empty, or of no known kind."""

    code = "no_source"


class NothingSound(RobotError):
    """A source without one sound episode; nothing was written. `report` says why."""

    code = "nothing_sound"

    def __init__(self, message: str, report: Report) -> None:
        super().__init__(message)
        self.report = report
