import type { Behaviour } from "./model-behaviours.ts";

export interface RecordedChat {
  headers: Record<string, string>;
  body: { model: string; messages: { role: string; content: string }[]; [field: string]: unknown };
  raw: string;
}

export type ChatReply =
  | { kind: "text"; text: string; finish?: string; usage?: false; model?: string }
  | { kind: "error"; status: number; message: string; code?: string; headers?: Record<string, string> }
  | { kind: "slow"; ms: number };

export interface FakeOpenAi {
  /** As for `OPENAI_BASE_URL`. */
  url: string;
  requests: RecordedChat[];
  stop(): void;
}

/** A server that speaks OpenAI's chat completions, on the loopback interface; every request is kept. */
export function fakeOpenAi(script: (request: RecordedChat, n: number) => ChatReply): FakeOpenAi {
  const requests: RecordedChat[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 255,
    fetch: async (request) => {
      if (!request.url.endsWith("/v1/chat/completions")) return new Response("", { status: 404 });
      const raw = await request.text();
      const recorded = { headers: request.headers.toJSON(), body: JSON.parse(raw), raw };
      requests.push(recorded);
      return respond(script(recorded, requests.length - 1), recorded.body.model);
    },
  });
  return { url: `http://127.0.0.1:${server.port}/v1`, requests, stop: () => void server.stop(true) };
}

/** A behaviour in this protocol's words. */
export function chatReply(behaviour: Behaviour): ChatReply {
  switch (behaviour.kind) {
    case "answers":
      return { kind: "text", text: behaviour.text };
    case "nothing":
      return { kind: "text", text: "" };
    case "limit": {
      const seconds = Math.round((behaviour.resetsAt.getTime() - Date.now()) / 1000);
      const headers = { "retry-after": String(seconds) };
      return { kind: "error", status: 429, message: "Rate limit reached for requests", headers };
    }
    case "login":
      return { kind: "error", status: 401, message: "Incorrect API key provided" };
    case "credit":
      return {
        kind: "error",
        status: 429,
        message: "You exceeded your current quota, please check your plan and billing details.",
        code: "insufficient_quota",
      };
    case "overloaded":
      return { kind: "error", status: 503, message: "The server is overloaded" };
    case "too-long":
      return {
        kind: "error",
        status: 400,
        message:
          "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
        code: "context_length_exceeded",
      };
    case "cut":
      return { kind: "text", text: '{"ops":[{"add":"Half a', finish: "length" };
    case "refusal":
      return { kind: "text", text: "", finish: "content_filter" };
    case "slow":
      return { kind: "slow", ms: behaviour.ms };
  }
}

async function respond(reply: ChatReply, model: string): Promise<Response> {
  switch (reply.kind) {
    case "slow":
      await Bun.sleep(reply.ms);
      return new Response("");
    case "error":
      return Response.json(
        { error: { message: reply.message, code: reply.code ?? null, type: "error" } },
        { status: reply.status, headers: reply.headers ?? {} },
      );
    case "text":
      return Response.json({
        id: "chat-fake",
        object: "chat.completion",
        model: reply.model ?? model,
        choices: [
          {
            index: 0,
            message: { role: "assistant", content: reply.text },
            finish_reason: reply.finish ?? "stop",
          },
        ],
        ...(reply.usage === false
          ? {}
          : {
              usage: {
                prompt_tokens: 900,
                completion_tokens: Math.ceil(reply.text.length / 4),
                total_tokens: 0,
              },
            }),
      });
  }
}
