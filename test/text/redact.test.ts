import { lintSource } from "@secretlint/core";
import { rules } from "@secretlint/secretlint-rule-preset-recommend";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { maskPatterns } from "../../src/text/secret-patterns.ts";
import { libraryMayFind, mayHoldSecret, redact } from "../../src/text/redact.ts";

const COMMENTS = "@secretlint/secretlint-rule-filter-comments";
/** It reads files that are named `.json` and `.p12`; the key in them is the private-key rule's too. */
const FILES_ONLY = "@secretlint/secretlint-rule-gcp";

const used = rules.filter((rule) => rule.meta.id !== COMMENTS);

/** What secretlint itself says, through its own core: the ids of the rules that found something. */
async function found(text: string): Promise<string[]> {
  const result = await lintSource({
    source: { filePath: "row.txt", content: text, ext: ".txt", contentType: "text" },
    options: {
      noPhysicFilePath: true,
      config: {
        rules: used.map((rule) => ({
          id: rule.meta.id,
          rule,
          options: rule.meta.id.endsWith("-aws") ? { enableIDScanRule: true } : {},
          allowMessageIds: ["AWSAccountID"],
        })),
      },
    },
  });
  return result.messages.map((message) => message.ruleId);
}

const like = (pattern: RegExp) => fc.stringMatching(pattern);
const pem = (label: string) =>
  like(/^MI[A-Za-z0-9+/]{300}$/).map((body) => {
    const lines = body.match(/.{1,64}/g)?.join("\n");
    return `-----BEGIN ${label}-----\n${lines}\n-----END ${label}-----`;
  });
const credentials = (scheme: string) =>
  like(/^[a-z]{4,9}$/).chain((user) =>
    like(/^[A-Za-z0-9]{9}[0-9]$/).map((password) => `${scheme}://${user}:${password}@db.intern.net/app`),
  );

/** Of every rule every kind of secret, as random as the real ones. */
const KINDS: Record<string, fc.Arbitrary<string>> = {
  "aws access key": like(/^(AKIA|ASIA|AGPA|AIDA|AROA|AIPA|ANPA|ANVA|A3TX)[A-Z0-9]{16}$/),
  "aws secret key": like(/^[A-Za-z0-9/+]{39}[A-Za-z0-9]$/).map((key) => `AWS_SECRET_ACCESS_KEY=${key}`),
  "aws secret key, quoted": like(/^[A-Za-z0-9/+]{39}[A-Za-z0-9]$/).map(
    (key) => `"secretAccessKey": "${key}"`,
  ),
  "private key": pem("PRIVATE KEY"),
  "rsa private key": pem("RSA PRIVATE KEY"),
  "ec private key in JSON": pem("EC PRIVATE KEY").map((key) => key.replaceAll("\n", "\\n")),
  "openssh private key": pem("OPENSSH PRIVATE KEY").map((key) =>
    key.replace("\nMI", "\nb3BlbnNzaC1rZXktdjE"),
  ),
  "npm token": like(/^npm_[A-Za-z0-9]{36}$/),
  "slack bot token": like(/^xoxb-[0-9]{11}-[0-9]{11}-[A-Za-z0-9]{24}$/),
  "slack user token": like(/^xox[paor]-2-[0-9]{11}-[A-Za-z0-9]{24}$/),
  "slack app token": like(/^xapp-1-A[A-Z0-9]{10}-[0-9]{13}-[a-f0-9]{32}$/),
  "slack webhook": like(
    /^https:\/\/hooks\.slack\.com\/services\/T[A-Z0-9]{8}\/B[A-Z0-9]{8}\/[A-Za-z0-9]{24}$/,
  ),
  "basic authentication": credentials("https"),
  "ftp login": credentials("ftp"),
  "mongodb login": credentials("mongodb+srv"),
  "mysql login": credentials("mysql"),
  "postgres login": credentials("postgresql"),
  "sendgrid key": like(/^SG\.[A-Za-z0-9_]{22}\.[A-Za-z0-9_]{43}$/),
  "shopify token": like(/^(shppa|shpca|shpat|shpss)_[a-f0-9]{32}$/),
  "stripe key": like(/^(sk|rk)_(live|test)_[A-Za-z0-9]{24,99}$/),
  "github token": like(/^gh[pousr]_[A-Za-z0-9]{36}$/),
  "github fine-grained token": like(/^github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}$/),
  "github app token": like(
    /^ghs_[0-9]{7}_eyJ[A-Za-z0-9_-]{60}\.eyJ[A-Za-z0-9_-]{90}\.[A-Za-z0-9_-]{80}[a-z]$/,
  ),
  "gitlab token": like(/^glpat-[A-Za-z0-9_-]{20}$/),
  "grafana cloud token": like(/^glc_eyJ[A-Za-z0-9+/]{60}$/),
  "grafana service token": like(/^glsa_[A-Za-z0-9]{32}_[a-f0-9]{8}$/),
  "openai project key": like(/^sk-proj-[A-Za-z0-9_-]{74}T3BlbkFJ[A-Za-z0-9_-]{73}[A-Za-z0-9]$/),
  "openai key": like(/^sk-[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}$/),
  "anthropic key": like(/^sk-ant-api03-[A-Za-z0-9_-]{93}AA$/),
  "groq key": like(/^gsk_[A-Za-z0-9]{52}$/),
  "hugging face token": like(/^hf_[A-Za-z]{34}$/),
  "linear key": like(/^lin_api_[A-Za-z0-9]{40}$/),
  "notion token": like(/^ntn_[0-9]{11}[A-Za-z0-9]{35}$/),
  "1password token": like(/^[a-z]{150}$/).map((muk) => {
    const json = JSON.stringify({ email: "a@b.c", muk });
    return `ops_${btoa(json.replace("}", `${" ".repeat((4 - (json.length % 3)) % 3)}}`))}`;
  }),
  "vault service token": like(/^hvs\.[A-Za-z0-9_-]{95}$/),
  "vault batch token": like(/^hvb\.[A-Za-z0-9_-]{150}$/),
  "vault recovery token": like(/^hvr\.[A-Za-z0-9_-]{95}$/),
  "vercel token": like(/^vc[piark]_[A-Za-z0-9]{24,56}$/),
  "databricks token": like(/^dapi[a-f0-9]{32}$/),
  "docker token": like(/^dckr_pat_[A-Za-z0-9_-]{27}$/),
  "figma token": like(/^figd_[A-Za-z0-9_-]{40}$/),
  "cloudflare token": like(/^(cfk|cfut|cfat)_[A-Za-z0-9]{40}[a-f0-9]{8}$/),
  "tailscale key": like(/^tskey-(api|auth|client)-k[A-Za-z0-9]{10}CNTRL-[A-Za-z0-9]{32}$/),
  "github login of old": like(/^[a-f0-9]{40}$/).map(
    (token) => `https://${token}:x-oauth-basic@github.com/a/b`,
  ),
};

/** Surroundings that a token could be glued to. */
const around = fc.oneof(
  fc.constantFrom(
    "",
    " ",
    "\n",
    '"',
    "'",
    "`",
    "=",
    ": ",
    "(",
    "key=",
    "_",
    "-",
    ".",
    "/",
    "é",
    "日本",
    "token: ",
  ),
  fc.lorem({ maxCount: 8 }).map((words) => ` ${words} `),
  fc.string({ unit: "binary", maxLength: 12 }),
);

describe("nothing that secretlint finds slips by", () => {
  it.each(Object.entries(KINDS))("%s", async (_, kind) => {
    let times = 0;
    await fc.assert(
      fc.asyncProperty(around, kind, around, async (before, secret, after) => {
        const text = `${before}${secret}${after}`;
        if ((await found(text)).length === 0) return;
        times++;
        expect(libraryMayFind(text)).toBe(true);
        expect(mayHoldSecret(text)).toBe(true);
        const masked = redact(text);
        expect(masked.masked).toBeGreaterThan(0);
        expect(await found(masked.text)).toEqual([]);
        expect(redact(masked.text)).toEqual({ text: masked.text, masked: 0 });
      }),
      { numRuns: 25 },
    );
    expect(times).toBeGreaterThan(5);
  });

  it.each(Object.entries(KINDS))("%s: none of it is left", (_, kind) => {
    fc.assert(
      fc.property(kind, (secret) => {
        const { text } = redact(`before ${secret} after`);
        expect(text).toMatch(/^before .*\[masked: [a-z0-9-]+\].* after$/s);
        const random =
          secret
            .match(/[A-Za-z0-9]{8,}/g)
            ?.filter((run) => !/^[a-z]+$|^AWS|^PRIVATE|^OPENSSH|secretAccessKey/.test(run)) ?? [];
        for (const run of random) expect(text).not.toContain(run);
      }),
      { numRuns: 10 },
    );
  });

  it("has an example for every rule of the preset", async () => {
    const examples = fc.sample(fc.tuple(...Object.values(KINDS)), { numRuns: 3, seed: 1 }).flat();
    const rulesThatFound = new Set((await Promise.all(examples.map((text) => found(` ${text} `)))).flat());
    expect(used.map((rule) => rule.meta.id).filter((id) => !rulesThatFound.has(id))).toEqual([FILES_ONLY]);
  });

  it("cannot be switched off by the text", () => {
    const token = `ghp_${"a1B2".repeat(9)}`;
    for (const comment of [
      "// secretlint-disable",
      "# secretlint-disable-line",
      "secretlint-disable-next-line",
    ]) {
      expect(redact(`${comment}\n${token} // secretlint-disable-line`).text).not.toContain(token);
    }
  });
});

describe("what secretlint leaves out", () => {
  it.each([
    ["key AKIAIOSFODNN7EXAMPLE!", "key [masked: aws-access-key]!"],
    [
      "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
      "aws_secret_access_key = [masked: secret]",
    ],
    [`SECRET_ACCESS_KEY=${"aBcDeFgH".repeat(5)} x`, "SECRET_ACCESS_KEY=[masked: aws-secret-access-key] x"],
    [
      "https://a/b1c2d3:x-oauth-basic@github.com/",
      "https://[masked: package-json-x-oauth-token]:x-oauth-basic@github.com/",
    ],
    ["postgres://bob:s3cr/t@db:5432/app", "postgres://bob:s3cr/t@db:5432/app"],
    ["redis://:p4ss@cache:6379/0", "redis://:[masked: url-password]@cache:6379/0"],
    ["amqp://svc:hunter2@mq", "amqp://svc:[masked: url-password]@mq"],
    ["https://user:p@ss@host/x", "https://user:[masked: url-password]@host/x"],
    [
      "postgres://a:b1c2@h/x and mysql://c:d3e4@i/y",
      "postgres://a:[masked: url-password]@h/x and mysql://c:[masked: url-password]@i/y",
    ],
    ["Authorization: Bearer abcdef1234567890", "Authorization: Bearer [masked: authorization]"],
    ['-H "authorization: bearer abc.def-123_456"', '-H "authorization: bearer [masked: authorization]"'],
    ["Authorization: Basic dXNlcjpodW50ZXIy", "Authorization: Basic [masked: authorization]"],
    ["password=hunter2", "password=[masked: password]"],
    ["DB_PASSWORD=correcthorse next", "DB_PASSWORD=[masked: password] next"],
    ["export PGPASSWORD='it is long'", "export PGPASSWORD='[masked: password]'"],
    ["password=$ecret-1", "password=[masked: password]"],
    ['docker run -e "DB_PASSWORD=hunter2" x', 'docker run -e "DB_PASSWORD=[masked: password]" x'],
    ["password: hunter2.", "password: [masked: password]."],
    ['{"password": "s3cr3t!!", "user": "bob"}', '{"password": "[masked: password]", "user": "bob"}'],
    ['{\\"password\\": \\"s3cr3t!!\\"}', '{\\"password\\": \\"[masked: password]\\"}'],
    ["Pwd := `abc def 1`", "Pwd := `[masked: password]`"],
    ['password = "it\'s me 1"', 'password = "[masked: password]"'],
    ['password="cut off 1', 'password="[masked: password]'],
    [`password=${"a1".repeat(900)}`, "password=[masked: password]"],
    ["//registry/:_authToken=1f2e3d4c-aaaa", "//registry/:_authToken=[masked: secret]"],
    ["api_key=abcd1234efgh5678", "api_key=[masked: secret]"],
    ["X-Api-Key: 9f8e7d6c5b4a3210", "X-Api-Key: [masked: secret]"],
    ["client_secret: 'Q~8Zk3jd92kLmN0p'", "client_secret: '[masked: secret]'"],
    [`AIza${"Sy1a2".repeat(7)}`, "[masked: google-api-key]"],
    ["sk-or-v1-0123456789abcdef0123456789abcdef", "[masked: api-key]"],
    ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcDEF123456_-x", "[masked: jwt]"],
    [
      "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIIFHDBOBgkqhkiG9w0BBQ0wQTApBgkqhkiG9w0B\nAQ==\n-----END ENCRYPTED PRIVATE KEY----- rest",
      "[masked: private-key] rest",
    ],
    ["-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEAx1y2z3\nMIIEowIBAAK", "[masked: private-key]"],
    [
      "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,ABCDEF\n\nMIIEowIBAAKCAQEAx1y2z3\n-----END RSA PRIVATE KEY-----",
      "[masked: private-key]",
    ],
  ])("%s", (text, masked) => {
    expect(redact(text).text).toBe(masked);
    expect(redact(masked)).toEqual({ text: masked, masked: 0 });
  });
});

describe("ordinary text", () => {
  it.each([
    "Password: must be at least 12 characters",
    "the password: string parameter",
    "const password = process.env.PASSWORD",
    "password = getpass.getpass()",
    "password=${DB_PASSWORD} and password: {{ vault.password }}",
    "PASSWORD=<your password>, password=****",
    "if (password == 'abc123') and password != 'abc123'",
    "password=/run/secrets/db_password",
    "passwordless login, password reset, reset_password=true",
    'type="password" name="login"',
    "token: max_tokens_4096, tokens: 4096, key: value",
    "token = parser.next(); key = src/config.ts:42",
    "credential: X509Credential | undefined",
    "secret rotation every 90 days; secrets: none",
    "Bearer authentication, the bearer token is refreshed",
    "starts with -----BEGIN PRIVATE KEY----- and is rejected",
    "https://registry.example.com:4873/@scope/pkg",
    "http://localhost:3000/health and git@github.com:a/b.git",
    "https://x-access-token:${TOKEN}@github.com/a/b",
    "commit 9f8e7d6c5b4a32109f8e7d6c5b4a32109f8e7d6c touched 550e8400-e29b-41d4-a716-446655440000",
    "account: 123456789012 in eu-west-1",
    "task-management-service-layer-with-long-names",
    "sk-loading-indicator-container-element",
    "MSG.type.name and half_done, self_test, npm_config_registry",
    "[masked: password]",
    "the `password=` parameter is required, see `token: ` and 1 more",
    '"password=" + encode(it) and "secret: " + 3',
  ])("%s", (text) => {
    expect(redact(text)).toEqual({ text, masked: 0 });
  });

  it.each([
    "https://example.com/a/b?c=d and http://localhost:3000",
    "snake_case_names_everywhere and kebab-case-too in src/text/redact.ts:42",
    "const x: number = 5; a => b; { kind: 1 }",
    "the token, the password and the secret are refreshed",
    "日本語のテキスト、絵文字 👩‍💻",
  ])("is not even looked at twice: %s", (text) => {
    expect(mayHoldSecret(text)).toBe(false);
  });
});

describe("any text", () => {
  const word = fc.constantFrom(
    "password",
    "token",
    "secret=",
    "=",
    ": ",
    '"',
    "\\",
    "Bearer ",
    "://",
    "a:b1c2@",
    "[masked: x]",
    "eyJab12cd34.",
    "sk-",
    "AKIA",
    "xoxb-1-a",
    "SG.",
    "\n",
    "1a2b3c4d5e",
  );
  const mixed = fc
    .array(fc.oneof(word, fc.string({ unit: "binary", maxLength: 6 })), { maxLength: 25 })
    .map((parts) => parts.join(""));

  it("has no secret left that only shows beside a mask", () => {
    const once = redact("secret=a:b1c2@xoxb-1-aBearer ");
    expect(redact(once.text)).toEqual({ text: once.text, masked: 0 });
  });

  it("is the same when masked again", () => {
    fc.assert(
      fc.property(mixed, (text) => {
        const once = redact(text);
        expect(redact(once.text)).toEqual({ text: once.text, masked: 0 });
        if (once.masked === 0) expect(once.text).toBe(text);
        if (maskPatterns(text).masked > 0) expect(mayHoldSecret(text)).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });

  it("holds nothing that secretlint would still find", async () => {
    await fc.assert(
      fc.asyncProperty(mixed, async (text) => {
        if ((await found(text)).length > 0) expect(libraryMayFind(text)).toBe(true);
        expect(await found(redact(text).text)).toEqual([]);
      }),
      { numRuns: 400 },
    );
  });

  it("takes no time that grows out of hand", () => {
    const nasty = [
      "a:".repeat(30_000),
      "://".repeat(20_000),
      "://a:".repeat(12_000),
      `password=${"a".repeat(60_000)}`,
      "eyJaaaaaaaa.".repeat(5000),
      `-----BEGIN PRIVATE KEY-----${"A1 ".repeat(20_000)}`,
      `-----BEGIN PRIVATE KEY-----${"a: b\n".repeat(12_000)}`,
      "token: ".repeat(9000),
      "SG.a.".repeat(12_000),
      "xoxb-" + "a-".repeat(30_000),
      '"password": "'.repeat(5000),
    ];
    for (const text of nasty) {
      const start = performance.now();
      redact(text);
      expect(performance.now() - start).toBeLessThan(5000);
    }
  });
});
