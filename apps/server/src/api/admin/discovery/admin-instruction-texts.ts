import type { Instruction } from './instruction.ts'

/** Pages of the areas around inference. */
export const ADMIN_INSTRUCTIONS: readonly Instruction[] = [
  {
    name: 'model-management',
    description: 'Install, change and remove models and backends.',
    tags: ['models', 'backends', 'operations'],
    markdown: `# Models and backends

Models and backends come from galleries. An installation is an operation in the background:

\`\`\`sh
curl {base_url}api/operations
\`\`\`

\`\`\`sh
curl {base_url}api/operations/history
\`\`\`

\`GET /models/available\` and \`GET /backends/available\` list what can be installed; \`POST /models/apply\` and \`POST /backends/apply\` with an \`id\` begin it and name its job.

\`\`\`sh
curl {base_url}backends
\`\`\`

\`GET /api/models/config-json/{name}\` shows the file of a model as JSON. All of these need an admin.
`,
  },
  {
    name: 'collections-and-skills',
    description: 'Documents that agents search, and instructions that they read.',
    tags: ['collections', 'skills'],
    markdown: `# Collections and skills

A collection is a vector store with a name. \`POST /api/agents/collections\` takes a \`name\`; \`POST /api/agents/collections/{name}/upload\` takes a form with \`file\`, and indexes it in the background.

\`\`\`sh
curl {base_url}api/agents/collections
\`\`\`

\`POST /api/agents/collections/{name}/search\` takes a \`query\` and \`max_results\`. \`POST /api/agents/collections/{name}/sources\` takes a \`url\`, which is fetched now and again after \`update_interval\` minutes.

A skill is a folder with \`SKILL.md\`, which a model reads when a task fits its description:

\`\`\`sh
curl {base_url}api/agents/skills
\`\`\`

\`POST /api/agents/skills/import\` takes a form with an archive in \`file\`, \`GET /api/agents/skills/export/{name}\` gives one. All of these need an admin.
`,
  },
  {
    name: 'pii-filtering',
    description: 'Find, mask and block private text.',
    tags: ['pii'],
    markdown: `# Private text

A model whose file has \`pii: {enabled: true}\` gets requests with private text masked, or refuses them. Detectors are models: recognisers, or patterns in the file.

\`\`\`sh
curl {base_url}api/pii/analyze -H 'Content-Type: application/json' \\
  -d '{"text": "Write to ada@site.example", "detectors": ["secrets"]}'
\`\`\`

\`\`\`sh
curl {base_url}api/pii/redact -H 'Content-Type: application/json' \\
  -d '{"text": "Write to ada@site.example", "detectors": ["secrets"]}'
\`\`\`

\`GET /api/pii/events\` (admin) lists what was found, never the text.
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
  {
    name: 'middleware-admin',
    description: 'What is filtered, routed and intercepted.',
    tags: ['pii', 'router'],
    markdown: `# Middleware

\`\`\`sh
curl {base_url}api/middleware/status
\`\`\`

The reply (admin) names the models that are filtered with their detectors, the routers, and the state of interception. The default detectors of filtered models are the setting \`pii_default_detectors\`.
`,
  },
  {
    name: 'intelligent-routing',
    description: 'Routers: models that pick another model for each request.',
    tags: ['router'],
    markdown: `# Routing

\`\`\`sh
curl {base_url}api/router/status
\`\`\`

\`\`\`sh
curl '{base_url}api/router/decisions?limit=20'
\`\`\`

\`POST /api/router/decide\` tells which model a router would pick for an \`input\`, without a request. Decisions (admin) hold labels and scores, never prompts.
`,
  },
  {
    name: 'failover',
    description: 'Models with targets that stand in for one another.',
    tags: ['failover'],
    markdown: `# Failover

\`\`\`sh
curl {base_url}api/failover/chains
\`\`\`

The reply (admin) has every failover group with the states of its targets. \`POST /api/failover/chains/{name}/pin\` holds requests at one target, \`.../unpin\` lets them go; \`GET /api/failover/events\` is a stream of changes.
`,
  },
  {
    name: 'usage-and-billing',
    description: 'Who used how many tokens, by model, key and time.',
    tags: ['usage'],
    markdown: `# Usage

\`\`\`sh
curl '{base_url}api/auth/usage?period=day'
\`\`\`

\`\`\`sh
curl '{base_url}api/auth/admin/usage/sources?period=month'
\`\`\`

\`\`\`sh
curl '{base_url}api/usage/all?period=week&format=csv'
\`\`\`

The first shows the caller's own usage, the second (admin) everybody's by source and key, the third (admin) everybody's as a table. \`period\` is \`day\`, \`week\`, \`month\` or \`all\`.

\`\`\`sh
curl '{base_url}api/prices'
\`\`\`

This (admin) shows the price list, the price that each model has now, and the models without one. \`PUT /api/prices\` with \`currency\`, \`rates\` and \`prices\` replaces the list; send the \`ETag\` as \`If-Match\` so as not to overwrite the change of another.
`,
  },
  {
    name: 'accounts',
    description: 'Sign in, and manage keys, sessions and accounts.',
    tags: ['accounts'],
    markdown: `# Accounts

\`\`\`sh
curl {base_url}api/auth/status
\`\`\`

A key goes into \`Authorization: Bearer\`, \`x-api-key\` or \`xi-api-key\`. \`GET /api/auth/me\` shows the caller. With a session, \`POST /api/auth/api-keys\` makes a key; it is shown once.
`,
  },
  {
    name: 'monitoring',
    description: 'Health, loaded models, traces, the output of backends, metrics.',
    tags: ['system', 'traces', 'backend-logs'],
    markdown: `# Monitoring

- \`GET /healthz\` answers 200 while the process lives, \`GET /readyz\` while it takes requests.
- \`GET /version\` shows version and commit.
- \`GET /system\` (admin) lists backends and loaded models with their processes, \`GET /api/resources\` the memory and processors of the machine.

Tracing is off until an admin turns it on:

\`\`\`sh
curl -X POST {base_url}api/settings -H 'Content-Type: application/json' -d '{"enable_tracing": true}'
\`\`\`

\`\`\`sh
curl '{base_url}api/traces?limit=20'
\`\`\`

\`\`\`sh
curl '{base_url}api/traces/summary?hours=6'
\`\`\`

\`GET /api/backend-traces\` lists calls to backends under the same correlation ids.

\`\`\`sh
curl {base_url}api/backend-logs
\`\`\`

\`GET /api/backend-logs/{model}\` shows the newest output of a model's backends; the WebSocket \`/ws/backend-logs/{model}\` follows it.

\`\`\`sh
curl {base_url}metrics
\`\`\`

The reply is the Prometheus text format; \`api_call\` is the duration of calls by method and route.
`,
  },
  {
    name: 'mcp',
    description: 'Tools, prompts and resources of the MCP servers that models have.',
    tags: ['mcp'],
    markdown: `# MCP servers

The file of a model names MCP servers in its key \`mcp\`: remote ones by their address, and programs on this machine. Only administrators can write it.

\`\`\`sh
curl {base_url}v1/mcp/servers/demo
\`\`\`

lists the servers of a model with their tools, or with the reason why a server does not work.

\`\`\`sh
curl {base_url}v1/mcp/prompts/demo
\`\`\`

\`\`\`sh
curl {base_url}v1/mcp/resources/demo
\`\`\`

\`POST /v1/mcp/prompts/{model}/{prompt}\` with \`{"arguments": {…}}\` gives the messages of a prompt, and \`POST /v1/mcp/resources/{model}/read\` with \`{"uri": "…"}\` the content of a resource. \`POST /v1/mcp/tools/{model}/call\` (admin) calls a tool by hand.
`,
  },
  {
    name: 'cors-proxy',
    description: 'Reach public servers from pages of this one.',
    tags: ['cors-proxy'],
    markdown: `# Public servers for pages

A page of this server reaches a public http or https address through \`/api/cors-proxy?url=\`, with GET or POST:

\`\`\`
curl '{base_url}api/cors-proxy?url=https://tools.example/mcp'
\`\`\`

The reply has the status and the content of that address, as a file that runs no script. Cookies and credentials are never passed on. Internal hosts and private networks are refused with 403.
`,
  },
  {
    name: 'agents',
    description: 'Let models work by themselves, with tools, at fixed times.',
    tags: ['agents'],
    markdown: `# Agents, tasks and jobs

A task (admin) is a prompt for a model. Parameters fill it in: \`{{.topic}}\`. With \`cron\` it runs at fixed times, in the time zone of \`cron_timezone\`:

\`\`\`sh
curl -X POST {base_url}api/agent/tasks -H 'Content-Type: application/json' \\
  -d '{"name": "morning report", "model": "demo", "prompt": "Write about {{.topic}}.", "cron": "0 8 * * 1-5", "cron_timezone": "Europe/Berlin", "cron_parameters": {"topic": "the weather"}}'
\`\`\`

\`POST /api/agent/jobs/execute\` takes a \`task_id\` and \`parameters\`, and answers with the \`job_id\`. \`POST /api/agent/tasks/{name}/execute\` takes the name of a task, and its parameters as the body. \`GET /api/agent/jobs/{id}\` shows \`status\`, \`result\` or \`error\`, and every step in \`traces\`. \`POST /api/agent/jobs/{id}/cancel\` ends a job.

A job survives the end of the server. One that ended inside a tool that may change something fails, and says so.

An agent is a model with a system prompt and tools of its own. \`POST /api/agents/{name}/chat\` takes a \`message\`; the answer is a job. Every text route takes the name of an agent as a model.

\`\`\`sh
curl -X POST {base_url}api/agents -H 'Content-Type: application/json' \\
  -d '{"name": "clerk", "model": "demo", "system_prompt": "You answer letters."}'
\`\`\`
`,
  },
  {
    name: 'branding',
    description: 'Name and images of this instance.',
    tags: ['branding'],
    markdown: `# Branding

\`\`\`sh
curl {base_url}api/branding
\`\`\`

An admin sets \`logo\`, \`logo_horizontal\` and \`favicon\`: \`POST /api/branding/asset/{kind}\` takes a form with the field \`file\`, an image of 5 MiB at most; \`DELETE\` goes back to the image of the server. Name and tagline are settings:

\`\`\`sh
curl -X POST {base_url}api/settings -H 'Content-Type: application/json' -d '{"instance_name": "Lab"}'
\`\`\`
`,
  },
  {
    name: 'settings',
    description: 'Read and change runtime settings.',
    tags: ['settings'],
    markdown: `# Settings

\`\`\`sh
curl {base_url}api/settings
\`\`\`

The reply (admin) has every runtime setting, secrets masked. \`POST /api/settings\` changes any subset; it is kept in the configuration folder and acts at once. A flag or variable wins over a saved value.

\`\`\`sh
curl -X POST {base_url}api/settings -H 'Content-Type: application/json' -d '{"watchdog_idle_timeout": "10m"}'
\`\`\`
`,
  },
  {
    name: 'assistant',
    description: 'Tools with which a program runs the server.',
    tags: ['assistant'],
    markdown: `# Assistant

\`/mcp\` speaks the Model Context Protocol over streamable HTTP. A program that knows the protocol lists the tools of the server and runs it with them.

\`\`\`sh
curl {base_url}mcp -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' \\
  -d '{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "me", "version": "1"}}}'
\`\`\`

The reply names the session in \`Mcp-Session-Id\`; later messages send it back, and \`DELETE\` ends it. A caller has the tools whose routes it may call: an admin has all of them, other accounts need the feature \`assistant\`. \`svc mcp\` speaks the same on standard input and output.
`,
  },
]
