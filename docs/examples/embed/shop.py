"""A product with a chat in it: its server keeps the service's token, its page gets one that ends soon.

    CHATD_URL=http://127.0.0.1:8787 SHOP_TOKEN=chatd_… python shop.py

It listens on http://127.0.0.1:8099. chatd must allow that origin: `cors_origins = ["http://127.0.0.1:8099"]`.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from pathlib import Path

from aiohttp import web

from chatd.client import AsyncClient
from chatd.client.errors import ApiError, Unreachable
from chatd.client.events import WaitingForChanged

CHATD_URL, TOKEN = os.environ["CHATD_URL"], os.environ["SHOP_TOKEN"]
RUNNING = web.AppKey("running", set[asyncio.Task[None]])
ORDERS = {"1001": "on its way", "1002": "delivered"}

# A tool that runs here, and not on the server of chatd: the agent only learns what it answers.
ORDER_STATUS = {
    "name": "order_status",
    "description": "Tells how far an order is.",
    "input_schema": {
        "type": "object",
        "properties": {"order": {"type": "string"}},
        "required": ["order"],
    },
}


def customer_of(request: web.Request) -> str:
    """Who is asking, by the product's own sign-in. chatd believes what the service says."""
    return request.cookies.get("customer", "customer-7")


async def begin(request: web.Request) -> web.Response:
    """Starts a chat for the customer, and hands their page what it needs to watch it."""
    asked = await request.json()
    customer = customer_of(request)
    async with AsyncClient(CHATD_URL, TOKEN, user=customer) as chatd:
        chat = await chatd.create_chat(
            asked["text"],
            client_tools=[ORDER_STATUS],
            # A tool that does not answer in time is told to the model as failed; the chat goes on.
            client_deadline_seconds=60,
            # The same request again, after an answer that was lost, starts no second chat.
            key=asked.get("key"),
        )
    token = await token_for(customer, chat.id)
    running = request.app[RUNNING]
    task = asyncio.create_task(answer_tools(customer, chat.id))
    running.add(task)
    task.add_done_callback(running.discard)
    return web.json_response({"chatd": CHATD_URL, "chat_id": chat.id, "token": token})


async def renew(request: web.Request) -> web.Response:
    """Another token, when the one before has ended. For a chat of somebody else, chatd refuses it."""
    token = await token_for(customer_of(request), request.match_info["chat_id"])
    return web.json_response({"token": token})


async def token_for(customer: str, chat_id: str) -> str:
    """For a page: it is good for this chat and those that work for it, and for ten minutes."""
    async with AsyncClient(CHATD_URL, TOKEN) as chatd:
        return (await chatd.add_user_token(customer, chat_id=chat_id, seconds=600)).token


async def answer_tools(customer: str, chat_id: str) -> None:
    """Runs the tools of one chat for as long as it goes on.

    A stream comes back by itself after a break, from the cursor of its last event. After a restart of this
    program, `chat.waiting_for` has what is still to be answered.
    """
    async with (
        AsyncClient(CHATD_URL, TOKEN, user=customer) as chatd,
        aclosing(chatd.stream(chat_id)) as events,
    ):
        async for event in events:
            waiting = event.waiting_for if isinstance(event, WaitingForChanged) else ()
            results = [
                {
                    "tool_call_id": call.tool_call_id,
                    "message_id": call.message_id,
                    "output": ORDERS.get(call.args.get("order", ""), "there is no such order"),
                }
                for call in waiting
                if call.tool_name == ORDER_STATUS["name"]
            ]
            if results:
                await chatd.submit(chat_id, results=results)


async def page(_: web.Request) -> web.FileResponse:
    return web.FileResponse(Path(__file__).with_name("page.html"))


@web.middleware
async def refusals(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    """What chatd refuses, the page hears of: too many requests, a limit that was reached."""
    try:
        return await handler(request)
    except ApiError as error:
        return web.json_response({"error": {"message": str(error)}}, status=error.status)
    except Unreachable:
        return web.json_response({"error": {"message": "The chat is away. Try again."}}, status=503)


async def tools(app: web.Application) -> AsyncIterator[None]:
    """Every task has a parent that waits for it."""
    running: set[asyncio.Task[None]] = set()
    app[RUNNING] = running
    yield
    for task in running:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)


def shop() -> web.Application:
    app = web.Application(middlewares=[refusals])
    app.add_routes(
        [
            web.get("/", page),
            web.post("/chats", begin),
            web.post("/chats/{chat_id}/token", renew),
        ]
    )
    app.cleanup_ctx.append(tools)
    return app


if __name__ == "__main__":
    web.run_app(shop(), host="127.0.0.1", port=int(os.environ.get("PORT", "8099")))
