/** A page about one area of the API, for programs and people. */
export interface Instruction {
  readonly name: string
  readonly description: string
  /** Tags of its routes. */
  readonly tags: readonly string[]
  readonly markdown: string
}

/** Pages of the areas that are built. */
export const INSTRUCTIONS: readonly Instruction[] = [
  {
    name: 'chat-inference',
    description: 'Continue conversations with a model, whole or streamed.',
    tags: ['inference'],
    markdown: `# Chat

\`POST /v1/chat/completions\` takes a \`model\` and \`messages\` and answers in the chat-completions format.

\`\`\`
curl {base_url}v1/chat/completions -H 'Content-Type: application/json' \\
  -d '{"model": "demo", "messages": [{"role": "user", "content": "Hello"}]}'
\`\`\`

With \`"stream": true\` the reply is a stream of server-sent events that ends with \`data: [DONE]\`; \`"stream_options": {"include_usage": true}\` adds the usage as the last event.

Errors: 400 names the field at fault, 404 \`model_not_found\`, 429 with \`Retry-After\` when the server or the model is at capacity, 503 with \`Retry-After\` while a model loads or rests after a failed load. A failure after the first event arrives in the stream.
`,
  },
  {
    name: 'models',
    description: 'List the models that requests can name.',
    tags: ['models'],
    markdown: `# Models

\`GET /v1/models\` lists names; \`?filter=\` takes a regular expression over them. \`GET /v1/models/{id}\` shows one. \`GET /v1/models/capabilities\` takes the same filter and adds what each model does, takes and gives.

A model is a YAML file in the models folder, or a GGUF file dropped there. \`POST /models/reload\` (admin) reads the folder again at once.
`,
  },
  {
    name: 'monitoring',
    description: 'Health, version, loaded models, metrics.',
    tags: ['system'],
    markdown: `# Monitoring

- \`GET /healthz\` answers 200 while the process lives, \`GET /readyz\` while it takes requests.
- \`GET /version\` shows version and commit.
- \`GET /system\` (admin) lists backends and loaded models with their processes.
- \`GET /metrics\` (admin) is the Prometheus text format; \`api_call\` is the duration of calls by method and route.
`,
  },
  {
    name: 'settings',
    description: 'Read and change runtime settings.',
    tags: ['settings'],
    markdown: `# Settings

\`GET /api/settings\` (admin) shows every runtime setting, secrets masked. \`POST /api/settings\` changes any subset; it is kept in the configuration folder and acts at once. A flag or variable wins over a saved value.
`,
  },
  {
    name: 'interception',
    description: 'Filter what other programs send to model providers.',
    tags: ['pii'],
    markdown: `# Interception

The intercepting proxy listens at the setting \`mitm_listen\` and asks for no credentials. Programs send HTTPS through it and trust its certificate; requests to listed hosts pass the PII filter.

\`\`\`
curl {base_url}api/middleware/proxy-ca.crt -o svc-ca.crt
HTTPS_PROXY=http://127.0.0.1:8888 curl --cacert svc-ca.crt https://api.openai.com/v1/models
\`\`\`

Models list hosts with \`mitm.hosts\`; their \`pii\` block is the policy. A block is 400 \`pii_blocked\`, a failed detector 503 \`pii_ner_unavailable\`; the host gets nothing then.

- \`GET /api/middleware/proxy-ca.crt\` is the certificate; 404 before the proxy has run.
- \`GET /api/middleware/status\` (admin) shows under \`mitm\` the listener, hosts, conflicts and figures.
- \`GET /api/pii/events?origin=proxy\` (admin) lists connections, requests and findings.
`,
  },
]
