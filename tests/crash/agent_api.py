# SPDX-License-Identifier: Apache-2.0
"""The agent's HTTP API for tests: one request a connection over the Unix socket."""

import http.client
import json
import socket
import time


class Refused(Exception):
    """The agent answered with a problem."""

    def __init__(self, status, problem):
        super().__init__(f"{status} {problem.get('detail', problem)}")
        self.status = status
        self.problem = problem


class AgentGone(Exception):
    """No agent answers, or it died over the request."""


class _Connection(http.client.HTTPConnection):
    def __init__(self, path, seconds):
        super().__init__("raicho", timeout=seconds)
        self._path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


class AgentApi:
    def __init__(self, rundir):
        self.path = f"{rundir}/agent.sock"

    def ask(self, method, path, body=None, seconds=30):
        """The text of the answer."""
        connection = _Connection(self.path, seconds)
        try:
            headers = {"Connection": "close"}
            if body is not None:
                headers["Content-Type"] = "application/json"
                body = json.dumps(body)
            connection.request(method, f"/api/v1/{path}", body, headers)
            response = connection.getresponse()
            text = response.read().decode()
        except (OSError, http.client.HTTPException) as error:
            raise AgentGone(str(error)) from error
        finally:
            connection.close()
        if response.status >= 300:
            raise Refused(response.status, json.loads(text))
        return text

    def get(self, path):
        return json.loads(self.ask("GET", path))

    def post(self, path, body=None, seconds=30):
        return json.loads(self.ask("POST", path, body or {}, seconds))

    def load(self, text, seconds=30):
        """Commits a whole configuration."""
        return self.post("config/load", {"text": text, "file": "test.conf"}, seconds)

    def running(self):
        return self.ask("GET", "config/running")

    def flows(self, bridge=None):
        query = f"?bridge={bridge}" if bridge else ""
        return [json.loads(line) for line in self.ask("GET", f"flows{query}").splitlines()]

    def wait(self, seconds=60):
        """Until an agent answers."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                return self.get("version")
            except AgentGone:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.005)
