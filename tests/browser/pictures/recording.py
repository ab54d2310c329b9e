"""What a page shows, as Chromium draws it, and of each picture only what is different from the one before."""

import base64
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

from playwright.sync_api import Browser, Page

from tests.browser.pictures.animated_png import Frame

# Faster, nobody sees a difference; slower, words come in jumps.
FRAME_MILLISECONDS = 120
PAUSE_MILLISECONDS_MAX = 2_500
LAST_MILLISECONDS = 4_000

# The piece that has changed since the last call, and where it is; of the first, all. What is in it and has
# stayed is transparent, which compresses well. A browser is quicker at this than Python.
_CHANGED = """async (data) => {
    const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
    const { width, height } = image;
    const whole = new OffscreenCanvas(width, height).getContext("2d", { alpha: false });
    whole.drawImage(image, 0, 0);
    const pixels = new Uint32Array(whole.getImageData(0, 0, width, height).data.buffer);
    const before = globalThis.before ?? new Uint32Array(pixels.length);
    globalThis.before = pixels;
    let [left, top, right, bottom] = [width, height, -1, -1];
    for (let at = 0; at < pixels.length; at++) {
        if (pixels[at] === before[at]) continue;
        const [x, y] = [at % width, Math.floor(at / width)];
        [left, top] = [Math.min(left, x), Math.min(top, y)];
        [right, bottom] = [Math.max(right, x), Math.max(bottom, y)];
    }
    if (right < left) return null;
    const piece = { left, top, width: right - left + 1, height: bottom - top + 1 };
    const changed = new Uint32Array(piece.width * piece.height).map((_, at) => {
        const from = (top + Math.floor(at / piece.width)) * width + left + at % piece.width;
        return pixels[from] === before[from] ? 0 : pixels[from];
    });
    const bytes = Array.from(new Uint8Array(changed.buffer), (byte) => String.fromCharCode(byte));
    return { ...piece, pixels: btoa(bytes.join("")) };
}"""


class Shown(NamedTuple):
    # When, in seconds, and what, in base64.
    at: float
    png: str


class Recording:
    """Begins at once. Chromium sends a picture whenever something has changed."""

    def __init__(self, page: Page) -> None:
        self._shown: list[Shown] = []
        self._session = page.context.new_cdp_session(page)
        self._session.on("Page.screencastFrame", self._keep)
        self._session.send("Page.startScreencast", {"format": "png"})

    def _keep(self, event: dict[str, Any]) -> None:
        self._shown.append(Shown(event["metadata"]["timestamp"], event["data"]))
        self._session.send("Page.screencastFrameAck", {"sessionId": event["sessionId"]})

    def stop(self) -> list[Shown]:
        self._session.send("Page.stopScreencast")
        return self._shown


def only_what_changes(browser: Browser, shown: list[Shown]) -> list[Frame]:
    page = browser.new_page()
    frames: list[Frame] = []
    for picture, milliseconds in _timed(shown):
        if changed := page.evaluate(_CHANGED, picture):
            pixels = base64.b64decode(changed.pop("pixels"))
            frames.append(Frame(pixels=pixels, milliseconds=milliseconds, **changed))
        else:
            frames[-1] = frames[-1]._replace(milliseconds=frames[-1].milliseconds + milliseconds)
    page.close()
    return frames


def _timed(shown: list[Shown]) -> Iterator[tuple[str, int]]:
    """Each picture with how long it is seen. Of those that come in a quick succession, the last."""
    begun = shown[0].at
    for each, following in pairwise(shown):
        milliseconds = round((following.at - begun) * 1000)
        if milliseconds >= FRAME_MILLISECONDS:
            yield each.png, min(PAUSE_MILLISECONDS_MAX, milliseconds)
            begun = following.at
    yield shown[-1].png, LAST_MILLISECONDS
