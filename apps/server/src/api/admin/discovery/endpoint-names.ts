/** Names of paths. A path without a route is left out of the document. */
export type NamedPaths = Readonly<Record<string, string>>

/** Paths as the document writes them, where their route ends in a wildcard. */
const WILDCARDS: NamedPaths = {
  '/api/backend-logs/:model': '/api/backend-logs/*',
  '/api/backend-logs/:model/clear': '/api/backend-logs/*',
  '/ws/backend-logs/:model': '/ws/backend-logs/*',
}

/** Gives the path of the route that serves a path of the document. */
export function toServedPath(path: string): string {
  return WILDCARDS[path] ?? path
}

/** The endpoints that programs look for first. */
export const ENDPOINTS: NamedPaths = {
  models: '/v1/models',
  models_capabilities: '/v1/models/capabilities',
  chat_completions: '/v1/chat/completions',
  completions: '/v1/completions',
  embeddings: '/v1/embeddings',
  config_metadata: '/api/models/config-metadata',
  config_json: '/api/models/config-json/:name',
  config_patch: '/api/models/config-json/:name',
  autocomplete: '/api/models/config-metadata/autocomplete/:provider',
  vram_estimate: '/api/models/vram-estimate',
  model_load_status: '/api/models/:id/load-status',
  tts: '/v1/audio/speech',
  voice_profiles: '/v1/voice-profiles',
  transcription: '/v1/audio/transcriptions',
  image_generation: '/v1/images/generations',
  swagger: '/swagger',
  instructions: '/api/instructions',
}

/** Endpoints by area. */
export const GROUPS: Readonly<Record<string, NamedPaths>> = {
  openai_compatible: {
    chat_completions: '/v1/chat/completions',
    completions: '/v1/completions',
    edits: '/v1/edits',
    embeddings: '/v1/embeddings',
    moderations: '/v1/moderations',
    responses: '/v1/responses',
    models: '/v1/models',
  },
  config_management: {
    config_metadata: '/api/models/config-metadata',
    config_json: '/api/models/config-json/:name',
    config_patch: '/api/models/config-json/:name',
    vram_estimate: '/api/models/vram-estimate',
  },
  model_management: {
    list_gallery: '/models/available',
    install: '/models/apply',
    delete: '/models/delete/:name',
    edit: '/models/edit/:name',
    import: '/models/import',
    reload: '/models/reload',
    import_uri: '/models/import-uri',
    list_aliases: '/api/aliases',
    load_status: '/api/models/:id/load-status',
  },
  backend_management: {
    list_gallery: '/backends/available',
    install: '/backends/apply',
    delete: '/backends/delete/:name',
    upgrade: '/backends/upgrade/:name',
  },
  operations: { list: '/api/operations', history: '/api/operations/history' },
  ai_functions: {
    messages: '/v1/messages',
    rerank: '/v1/rerank',
    tokenize: '/v1/tokenize',
    detokenize: '/v1/detokenize',
    score: '/api/score',
    save_slot: '/v1/slots/save',
    restore_slot: '/v1/slots/restore',
  },
  private_text: { analyze: '/api/pii/analyze', redact: '/api/pii/redact', events: '/api/pii/events' },
  router: {
    status: '/api/router/status',
    decisions: '/api/router/decisions',
    decide: '/api/router/decide',
    corpus: '/api/router/:name/corpus',
  },
  monitoring: {
    metrics: '/metrics',
    backend_monitor: '/backend/monitor',
    backend_shutdown: '/backend/shutdown',
    backend_load: '/backend/load',
    system: '/system',
    resources: '/api/resources',
    version: '/version',
    traces: '/api/traces',
    traces_summary: '/api/traces/summary',
    trace: '/api/traces/:id',
    traces_clear: '/api/traces/clear',
    backend_traces: '/api/backend-traces',
    backend_trace: '/api/backend-traces/:id',
    backend_traces_clear: '/api/backend-traces/clear',
    backend_logs: '/api/backend-logs',
    backend_logs_model: '/api/backend-logs/:model',
    backend_logs_clear: '/api/backend-logs/:model/clear',
    backend_logs_ws: '/ws/backend-logs/:model',
  },
  usage: {
    view: '/api/usage',
    view_all: '/api/usage/all',
    prices: '/api/prices',
    own: '/api/auth/usage',
    own_sources: '/api/auth/usage/sources',
    all: '/api/auth/admin/usage',
    all_sources: '/api/auth/admin/usage/sources',
  },
  mcp: {
    chat_completions: '/v1/mcp/chat/completions',
    servers: '/v1/mcp/servers/:model',
    prompts: '/v1/mcp/prompts/:model',
    resources: '/v1/mcp/resources/:model',
    cors_proxy: '/api/cors-proxy',
  },
  p2p: { nodes: '/api/p2p', token: '/api/p2p/token' },
  agents: { tasks: '/api/agent/tasks', jobs: '/api/agent/jobs', execute: '/api/agent/jobs/execute' },
  settings: { get: '/api/settings', update: '/api/settings' },
  stores: { set: '/stores/set', get: '/stores/get', delete: '/stores/delete', find: '/stores/find' },
  files: { upload: '/v1/files', list: '/v1/files', content: '/v1/files/:file_id/content' },
  vector_stores: {
    create: '/v1/vector_stores',
    files: '/v1/vector_stores/:vector_store_id/files',
    search: '/v1/vector_stores/:vector_store_id/search',
  },
  docs: { swagger: '/swagger', instructions: '/api/instructions' },
}

/** Capabilities by the path that proves them. */
export const CAPABILITIES: NamedPaths = {
  config_metadata: '/api/models/config-metadata',
  config_patch: '/api/models/config-json/:name',
  vram_estimate: '/api/models/vram-estimate',
  mcp: '/v1/mcp/servers/:model',
  agents: '/api/agents',
  p2p: '/api/p2p',
  tracing: '/api/traces',
  voice_profiles: '/v1/voice-profiles',
}
