import {
  about,
  address,
  type Block,
  block,
  choice,
  count,
  type Field,
  fileName,
  flag,
  freeMap,
  integer,
  type KeyTable,
  list,
  map,
  plainText,
  reaching,
  secretName,
} from './fields.ts'
import { COMPRESSION, FUNCTION, LLM, PARAMETERS, REASONING, TEMPLATE, VLLM } from './language-keys.ts'
import { LEGACY_PII_KEYS, PII, PII_DETECTION } from './pii-keys.ts'
import { PIPELINE } from './pipeline-keys.ts'
import { PRICING } from './price-keys.ts'
import { RESPONSE_CACHE } from './response-cache-keys.ts'
import { ROUTER } from './router-keys.ts'
import { FAILOVER, MITM, PROXY } from './upstream-keys.ts'

/*
 * Every key of a model file (§2.9–2.13), in the groups of the domain type. A key is declared in its table and nowhere
 * else: types, checks and the JSON Schema for editors follow. `about` adds the sentence that editors show.
 */

/** The identity of the model. */
const IDENTITY = {
  name: about(plainText, 'The name that clients use. Default: the name of the file.'),
  alias: about(plainText, 'The model that serves requests for this name. Nothing else can be set beside it.'),
  description: about(plainText, 'A sentence about the model.'),
  usage: about(plainText, 'How to use the model.'),
  disabled: about(flag, 'Refuse the requests to this model.'),
  pinned: about(flag, 'The model is never unloaded to make room or for idleness.'),
  debug: about(flag, 'Log more about requests to this model.'),
  roles: about(map(plainText), 'The text that prompt templates print for each role of a message.'),
  known_usecases: about(list(plainText), 'The uses of the model, such as chat, embeddings or rerank.'),
  known_input_modalities: about(list(plainText), 'Kinds of content that the model takes.'),
  known_output_modalities: about(list(plainText), 'Kinds of content that the model gives.'),
  concurrency_groups: about(list(plainText), 'Models that share a group are not loaded side by side.'),
}

const ARTIFACT_SOURCE = block({
  type: plainText,
  repo: plainText,
  revision: plainText,
  token_env: secretName,
  allow_patterns: list(plainText),
  ignore_patterns: list(plainText),
})

/** A managed repository snapshot that belongs to a model. */
export const ARTIFACT = {
  name: plainText,
  target: choice('model', 'companion'),
  source: ARTIFACT_SOURCE,
  resolved: block({ endpoint: address, revision: plainText, cache_key: fileName, primary_file: fileName }),
}

/** The backend and its settings. */
const ENGINE = {
  backend: about(plainText, 'The backend that runs the model. Default: llama for GGUF weights.'),
  options: about(list(reaching('engine', plainText)), 'Options of the backend, each as key:value.'),
  overrides: list(plainText),
  grpc: about(
    block({ attempts: count, attempts_sleep_time: count }),
    'How often and how far apart a starting backend is asked for its health.',
  ),
  threads: about(integer, 'Threads of the model. Default: --threads.'),
  f16: about(flag, 'Half-precision numbers. Default: --f16.'),
  cuda: flag,
  step: integer,
  download_files: about(
    list(block({ filename: fileName, uri: plainText, sha256: plainText })),
    'Files that the model needs, each with the place it comes from.',
  ),
  artifacts: about(list(block(ARTIFACT)), 'Repository snapshots that belong to the model.'),
  limits: about(
    block({ max_concurrent: count, retry_after_seconds: count }),
    'Requests that the model serves at a time.',
  ),
  max_concurrent: about(
    count,
    'The same as limits.max_concurrent: requests that the model serves at a time. 0 = no limit.',
  ),
  slot_save_path: about(fileName, 'Folder for saved slots. It turns saving and restoring on.'),
  feature_flags: map(flag),
  strict_answers: about(flag, 'An answer without the form that was asked for is an error instead of a warning.'),
  context_size: about(integer, 'Context in tokens. Default: --context-size.'),
}

/** The `diffusers` block. */
const DIFFUSERS = {
  cuda: flag,
  pipeline_type: plainText,
  scheduler_type: plainText,
  enable_parameters: plainText,
  img2img: flag,
  clip_skip: integer,
  clip_model: fileName,
  clip_subfolder: fileName,
  control_net: fileName,
}

/** The `tts` block. */
const TTS = { voice: fileName, audio_path: fileName, voice_cloning: flag }

/** The `mcp` block: each value is itself YAML or JSON text with an `mcpServers` map. */
const MCP = { remote: address, stdio: reaching('command', plainText) }

/** The `agent` block. */
const AGENT = {
  max_attempts: integer,
  max_iterations: integer,
  enable_reasoning: flag,
  enable_planning: flag,
  enable_mcp_prompts: flag,
  enable_plan_re_evaluator: flag,
  disable_sink_state: flag,
  loop_detection: integer,
  max_adjustment_attempts: integer,
  force_reasoning_tool: flag,
}

/** Blocks of a model file under their own key. */
const BLOCKS = {
  parameters: about(block(PARAMETERS), 'The weights and how tokens are chosen.'),
  template: about(block(TEMPLATE), 'Prompt templates: text, or the name of a .tmpl file in the models folder.'),
  diffusers: about(block(DIFFUSERS), 'Image generation.'),
  tts: about(block(TTS), 'Speech.'),
  function: about(block(FUNCTION), 'How tool calls are asked for and found.'),
  reasoning: about(block(REASONING), 'How reasoning is told from the answer.'),
  reasoning_effort: about(plainText, 'Effort of reasoning where a request names none.'),
  chat_template_kwargs: about(freeMap, 'Variables of the chat template.'),
  compression: about(block(COMPRESSION), 'Compression of long conversations.'),
  pipeline: about(block(PIPELINE), 'The models of a realtime conversation.'),
  pii: about(block(PII, { ignored: LEGACY_PII_KEYS }), 'Filtering of requests to this model.'),
  pii_detection: about(block(PII_DETECTION), 'Detection of private data by this model.'),
  router: about(block(ROUTER), 'Choice of a model for each request.'),
  proxy: about(reaching('upstream', block(PROXY)), 'The upstream of the model.'),
  failover: about(
    block(FAILOVER),
    'Models that take over when one fails. Times are written with their unit, such as 15s.',
  ),
  mitm: about(reaching('interception', block(MITM)), 'Interception of TLS connections.'),
  mcp: about(block(MCP), 'MCP servers: each value is YAML or JSON text with an mcpServers map.'),
  agent: about(block(AGENT), 'Behaviour of agents that use the model.'),
  pricing: about(PRICING, 'What the use of the model costs: a price, or a list of prices with their dates.'),
  response_cache: about(block(RESPONSE_CACHE), 'Replies that are kept for equal requests.'),
}

/** Words of keys that are written in capitals. */
const ABBREVIATIONS = /^(?:api|gpu|json|llm|mcp|pii|tls|tts|ui|url|vad|yaml)$/

/** The keys at the top of a model file in groups, for editors. Each block is a group of its own. */
export const KEY_GROUPS: readonly { readonly id: string; readonly label: string; readonly keys: KeyTable }[] = [
  { id: 'general', label: 'General', keys: IDENTITY },
  { id: 'engine', label: 'Backend', keys: ENGINE },
  { id: 'llm', label: 'Language model', keys: LLM },
  { id: 'vllm', label: 'Batch engine', keys: VLLM },
  ...Object.entries(BLOCKS).map(([id, field]) => ({ id, label: toLabel(id), keys: { [id]: field } })),
]

/** `top_k` as `Top k`, `tts` as `TTS`. */
export function toLabel(key: string): string {
  const words = key.split('_').map((word) => (ABBREVIATIONS.test(word) ? word.toUpperCase() : word))
  const text = words.join(' ')
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

/** All keys that a model file may have at its top. */
export const MODEL_KEYS = { ...IDENTITY, ...ENGINE, ...LLM, ...VLLM, ...BLOCKS }

/** A model file as its keys read, before it becomes a model. */
export type ModelKeys = Block<typeof MODEL_KEYS>

/** A model file. */
export const modelKeys: Field<ModelKeys> = block(MODEL_KEYS)
