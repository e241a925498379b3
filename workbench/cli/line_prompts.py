"""Ask the user at the terminal, one question at a time, until it is answered or withdrawn; prompts go to stderr."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from server_core.runtime.background import spawn
from workbench.cli import console
from workbench.client.questions import Question
from workbench.model import describe
from workbench.model.short_text import escaped, escaped_lines

if TYPE_CHECKING:
    from workbench.model.forms.field import Field
    from workbench.model.forms.form import Form

_CHOICES = {"a": "accept", "d": "decline", "c": "cancel"}


class InputEnded(Exception):
    """The user ended the input (Ctrl-D)."""


class Asker:
    """Asks at a terminal in line mode; made by :meth:`at_terminal`."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._turn = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()

    @classmethod
    @asynccontextmanager
    async def at_terminal(cls) -> AsyncIterator["Asker | None"]:
        """Yield an asker, None if standard input is no terminal; enter it before tools take standard input away."""
        if not sys.stdin.isatty():
            yield None
            return
        fd = os.dup(sys.stdin.fileno())
        asker = cls(fd)
        try:
            yield asker
        finally:
            tasks = list(asker._tasks)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            os.close(fd)

    def ask(self, question: Question) -> None:
        """Ask a question as soon as all earlier questions are answered."""
        task = spawn(self._ask(question), f"ask: {question.kind}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        question.on_withdrawn = task.cancel

    async def agrees_to_browser(self) -> bool:
        """Ask whether to open a URL in the browser."""
        return await self.agrees("Open it in the browser now?")

    async def agrees(self, prompt: str) -> bool:
        """Ask for a yes; any other answer is a no."""
        async with self._turn:
            try:
                return (await self._read_line(f"{prompt} [y/N]")).strip().lower() in ("y", "yes")
            except InputEnded:
                return False

    async def choose(self, prompt: str, keys: str) -> str:
        """Ask for one of several letters and return it; empty at the end of the input."""
        async with self._turn:
            try:
                while True:
                    key = (await self._read_line(prompt)).strip().lower()[:1]
                    if key and key in keys:
                        return key
            except InputEnded:
                return ""

    async def line(self, prompt: str) -> str:
        """Ask for a line and return it; empty at the end of the input."""
        async with self._turn:
            try:
                return await self._read_line(prompt)
            except InputEnded:
                return ""

    async def _ask(self, question: Question) -> None:
        async with self._turn:
            try:
                if question.kind == "sampling":
                    await self._ask_for_reply(question)
                elif question.mode == "url":
                    await self._ask_to_open_url(question)
                else:
                    await self._ask_for_form(question)
            except InputEnded:
                question.cancel()

    async def _ask_for_reply(self, question: Question) -> None:
        console.write("The tool asks the model:")
        if system := question.params.get("systemPrompt"):
            console.write(f"  system: {system}")
        messages = question.params.get("messages")
        for message in messages if isinstance(messages, list) else []:
            if isinstance(message, dict):
                console.write(f"  {message.get('role', '?')}: {_text_of(message.get('content'))}")
        text = await self._read_line("Your answer (empty to refuse):")
        if text:
            question.reply(text)
        else:
            question.decline()

    async def _ask_to_open_url(self, question: Question) -> None:
        console.write(f"{_sender(question)} asks: {question.params.get('message', '')}")
        console.write(f"It requests that you open {question.params.get('url')}")
        if await self._ask_for_choice(question):
            question.accept()

    async def _ask_for_form(self, question: Question) -> None:
        from workbench.model.forms.form import Form

        schema = question.params.get("requestedSchema")
        form = Form(schema if isinstance(schema, dict) else {})
        console.write(f"{_sender(question)} asks: {question.params.get('message', '')}")
        if not await self._ask_for_choice(question):
            return
        for field in list(form.root.children):
            await self._ask_for_field(form, field)
        question.accept(form.value() or {})

    async def _ask_for_choice(self, question: Question) -> bool:
        """Ask whether to accept; decline or cancel the question if not."""
        choice = ""
        while choice not in _CHOICES:
            choice = (await self._read_line("[a]ccept, [d]ecline or [c]ancel?")).strip().lower()[:1]
        if choice == "a":
            return True
        if choice == "d":
            question.decline()
        else:
            question.cancel()
        return False

    async def _ask_for_field(self, form: "Form", field: "Field") -> None:
        from workbench.model.forms.shape import ABSENT

        while True:
            text = await self._read_line(_prompt(field))
            if text:
                form.set_text(field.path, text)
            elif field.default is not ABSENT:
                form.include(field.path)
            problems = [problem.message for problem in form.problems() if problem.path[:1] == field.path]
            if not problems:
                return
            console.write(f"  {problems[0]}")

    async def _read_line(self, prompt: str) -> str:
        """Ask for a line; InputEnded at the end of the input."""
        console.ask(prompt)
        loop = asyncio.get_running_loop()
        ready = asyncio.Event()
        loop.add_reader(self._fd, ready.set)
        try:
            await ready.wait()
        finally:
            loop.remove_reader(self._fd)
        data = os.read(self._fd, 64 * 1024)
        if not data:
            console.write("")
            raise InputEnded
        return data.decode("utf-8", "replace").rstrip("\r\n")


def _sender(question: Question) -> str:
    return escaped(question.session) or "The server"


def _prompt(field: "Field") -> str:
    from workbench.model.forms.shape import ABSENT

    values = [describe.json_line(choice.value, 40) for choice in field.choices] or [field.kind]
    notes = [" | ".join(values), *field.constraints, "required" if field.required else "optional"]
    if field.default is not ABSENT:
        notes[-1] = f"empty for {describe.json_line(field.default, 40)}"
    text = f"  {escaped(field.title or field.name)}"
    if field.description:
        text += f" - {escaped(field.description)}"
    return f"{text} ({', '.join(notes)}):"


def _text_of(content: Any) -> str:
    blocks = content if isinstance(content, list) else [content]
    texts = []
    for block in blocks:
        is_text = isinstance(block, dict) and isinstance(block.get("text"), str)
        texts.append(escaped_lines(block["text"]) if is_text else describe.content(block))
    return "\n".join(texts) or json.dumps(content)
