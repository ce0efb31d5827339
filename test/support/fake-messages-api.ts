import type { Behaviour } from "./model-behaviours.ts";

/** One request to the Messages API as the fake received it. */
export interface RecordedRequest {
  headers: Record<string, string>;
  body: MessagesBody;
  /** The whole body as sent, to search for what must not be in it. */
  raw: string;
}

interface MessagesBody {
  model: string;
  max_tokens: number;
  system?: unknown;
  messages: readonly { role: string; content: unknown }[];
  tools?: readonly unknown[];
}

export type Reply =
  | { kind: "text"; text: string; stopReason?: "end_turn" | "max_tokens" | "refusal" }
  | { kind: "error"; status: number; type: string; message: string; headers?: Record<string, string> }
  /** Headers after `ms`; the client usually has gone by then. */
  | { kind: "slow"; ms: number };

/** Answers the nth request (from 0). */
export type Script = (request: RecordedRequest, n: number) => Reply;

export interface FakeMessagesApi {
  url: string;
  requests: RecordedRequest[];
  stop(): void;
}

/** Anthropic's Messages API on the loopback interface, streaming as Claude Code expects; every request is kept. */
export function fakeMessagesApi(script: Script): FakeMessagesApi {
  const requests: RecordedRequest[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 255,
    fetch: async (request) => {
      const { pathname } = new URL(request.url);
      if (request.method !== "POST" || pathname !== "/v1/messages")
        return new Response("{}", { status: 404 });
      const raw = await request.text();
      const recorded = { headers: request.headers.toJSON(), body: JSON.parse(raw), raw };
      requests.push(recorded);
      return respond(script(recorded, requests.length - 1), recorded.body);
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, requests, stop: () => void server.stop(true) };
}

/** A behaviour in this API's words; limits are a subscription's. */
export function messagesReply(behaviour: Behaviour): Reply {
  switch (behaviour.kind) {
    case "answers":
      return { kind: "text", text: behaviour.text };
    case "nothing":
      return { kind: "text", text: "" };
    case "limit":
      return subscriptionLimit(behaviour.resetsAt);
    case "login":
      return { kind: "error", status: 401, type: "authentication_error", message: "invalid bearer token" };
    case "credit": {
      const message = "Your credit balance is too low to access the Anthropic API.";
      return { kind: "error", status: 400, type: "invalid_request_error", message };
    }
    case "overloaded":
      return { kind: "error", status: 529, type: "overloaded_error", message: "Overloaded" };
    case "too-long": {
      const message = "prompt is too long: 230000 tokens > 200000 maximum";
      return { kind: "error", status: 400, type: "invalid_request_error", message };
    }
    case "cut":
      return { kind: "text", text: '{"ops":[{"add":"Half a', stopReason: "max_tokens" };
    case "refusal":
      return { kind: "text", text: "", stopReason: "refusal" };
    case "slow":
      return { kind: "slow", ms: behaviour.ms };
  }
}

function subscriptionLimit(resetsAt: Date): Reply {
  return {
    kind: "error",
    status: 429,
    type: "rate_limit_error",
    message: "This request would exceed your account's rate limit. Please try again later.",
    headers: {
      "anthropic-ratelimit-unified-status": "rejected",
      "anthropic-ratelimit-unified-reset": String(Math.floor(resetsAt.getTime() / 1000)),
      "anthropic-ratelimit-unified-representative-claim": "five_hour",
    },
  };
}

/** The words of a request's messages, as the model would read them. */
export function requestText(request: RecordedRequest): string {
  return request.body.messages
    .flatMap(({ content }) => (typeof content === "string" ? [content] : texts(content)))
    .join("\n");
}

function texts(content: unknown): string[] {
  if (!Array.isArray(content)) return [];
  return content.flatMap((block: { text?: string }) => (block.text === undefined ? [] : [block.text]));
}

async function respond(reply: Reply, body: MessagesBody): Promise<Response> {
  switch (reply.kind) {
    case "text":
      return stream(body.model, reply.text, reply.stopReason ?? "end_turn");
    case "slow":
      await Bun.sleep(reply.ms);
      return new Response("");
    case "error":
      return Response.json(
        { type: "error", error: { type: reply.type, message: reply.message }, request_id: "req_fake" },
        { status: reply.status, headers: reply.headers ?? {} },
      );
  }
}

function stream(model: string, text: string, stopReason: string): Response {
  const usage = {
    input_tokens: 1200,
    output_tokens: 1,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
  };
  const events: { type: string; [field: string]: unknown }[] = [
    {
      type: "message_start",
      message: {
        id: "msg_fake",
        type: "message",
        role: "assistant",
        model,
        content: [],
        stop_reason: null,
        usage,
      },
    },
    ...(text === ""
      ? []
      : [
          { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
          { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
          { type: "content_block_stop", index: 0 },
        ]),
    {
      type: "message_delta",
      delta: { stop_reason: stopReason, stop_sequence: null },
      usage: { output_tokens: Math.ceil(text.length / 4) },
    },
    { type: "message_stop" },
  ];
  const body = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}
