"""Files, to be attached to messages."""

from urllib.parse import quote

from chatd.client.answers import AddedFile
from chatd.client.asynchronous.calls import Calls, path_in

FILES = "/api/v1/files"


class FileCalls(Calls):
    async def add_file(self, data: bytes, *, name: str, media_type: str) -> AddedFile:
        """To be attached to a message: `{"type": "file", "file_id": …, "name": …}` is its part."""
        headers = {
            "Content-Type": media_type,
            "Content-Disposition": f"attachment; filename*=UTF-8''{quote(name, safe='')}",
        }
        return await self._http.send(FILES, AddedFile, data, headers)

    async def file(self, file_id: str) -> bytes:
        return await self._http.ask_bytes("GET", path_in(FILES, file_id))
