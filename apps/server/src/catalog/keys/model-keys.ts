import {
  about,
  address,
  block,
  type Block,
  choice,
  count,
  type Field,
  fileName,
  flag,
  flagOrCount,
  fraction,
  freeMap,
  integer,
  type KeyTable,
  list,
  map,
  number,
  plainText,
  reaching,
  secretName,
} from './fields.ts'
import { FAILOVER, MITM, PROXY } from './upstream-keys.ts'
import { ROUTER } from './router-keys.ts'
import { PIPELINE } from './pipeline-keys.ts'
import { LEGACY_PII_KEYS, PII, PII_DETECTION } from './pii-keys.ts'

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

/** The `parameters` block: the weights and how tokens are chosen. */
export const PARAMETERS = {
  model: about(fileName, 'File name of the weights in the models folder, or the name that the backend has for them.'),
  language: plainText,
  translate: flag,
  n: integer,
  top_p: about(number, 'Share of probability that sampling chooses from.'),
  top_k: about(integer, 'Number of tokens that sampling chooses from. 0 = all.'),
  min_p: about(number, 'Least probability of a token, relative to the most probable one.'),
  temperature: about(number, 'Randomness of sampling. 0 takes the most probable token.'),
  max_tokens: about(integer, 'Most tokens of a reply. 0 = no limit of its own.'),
  echo: flag,
  batch: integer,
  ignore_eos: flag,
  repeat_penalty: about(number, 'Penalty of tokens that occurred before.'),
  repeat_last_n: integer,
  n_keep: integer,
  frequency_penalty: number,
  presence_penalty: number,
  tfz: number,
  typical_p: number,
  seed: about(integer, 'Seed of sampling. -1 = another one for each request.'),
  logprobs: flagOrCount,
  top_logprobs: integer,
  logit_bias: map(number),
  negative_prompt: plainText,
  negative_prompt_scale: number,
  rope_freq_base: number,
  rope_freq_scale: number,
  clip_skip: integer,
  tokenizer: fileName,
  encoding_format: plainText,
  pooling: about(choice('backend', 'mean', 'last', 'decayed_mean'), 'How token embeddings become one vector.'),
  pooling_half_life_tokens: about(count, 'Half-life of a token for the pooling decayed_mean.'),
}

/** The `template` block: template text, or the name of `<name>.tmpl` in the models folder. */
export const TEMPLATE = {
  chat: about(plainText, 'Frame around all messages of a chat.'),
  chat_message: about(plainText, 'One message of a chat.'),
  completion: about(plainText, 'Prompt of a completion.'),
  edit: about(plainText, 'Prompt of an edit.'),
  function: about(plainText, 'Frame around all messages of a chat with tools.'),
  use_tokenizer_template: about(flag, 'The template inside the weights makes the prompt.'),
  join_chat_messages_by_character: plainText,
  multimodal: plainText,
  reply_prefix: plainText,
}

/** Top-level keys of language models. */
export const LLM = {
  system_prompt: about(plainText, 'System prompt of chats that have none.'),
  embeddings: about(flag, 'The model makes embeddings.'),
  reranking: about(flag, 'The model reranks documents.'),
  gpu_layers: about(integer, 'Layers that run on the graphics processor.'),
  mmap: flag,
  mmlock: flag,
  low_vram: flag,
  numa: flag,
  main_gpu: plainText,
  tensor_split: plainText,
  flash_attention: plainText,
  no_kv_offloading: flag,
  cache_type_k: plainText,
  cache_type_v: plainText,
  mmproj: about(fileName, 'File name of the multimodal projector.'),
  draft_model: about(fileName, 'File name of the draft model for speculative decoding.'),
  n_draft: integer,
  lora_adapter: fileName,
  lora_adapters: list(fileName),
  lora_base: fileName,
  lora_scale: number,
  lora_scales: list(number),
  rope_scaling: plainText,
  yarn_ext_factor: number,
  yarn_attn_factor: number,
  yarn_beta_fast: number,
  yarn_beta_slow: number,
  rms_norm_eps: number,
  ngqa: integer,
  no_mulmatq: flag,
  mirostat: integer,
  mirostat_eta: number,
  mirostat_tau: number,
  prompt_cache_path: fileName,
  prompt_cache_all: flag,
  prompt_cache_ro: flag,
  grammar: about(plainText, 'Grammar of every reply.'),
  stopwords: about(list(plainText), 'Texts that end a reply.'),
  cutstrings: list(plainText),
  extract_regex: list(plainText),
  trimspace: list(plainText),
  trimsuffix: list(plainText),
  type: plainText,
  cfg_scale: number,
}

/** Top-level keys of batch engines. */
export const VLLM = {
  quantization: plainText,
  load_format: plainText,
  gpu_memory_utilization: number,
  trust_remote_code: reaching('command', flag),
  enforce_eager: flag,
  swap_space: integer,
  max_model_len: integer,
  tensor_parallel_size: integer,
  disable_log_stats: flag,
  dtype: plainText,
  limit_mm_per_prompt: about(
    block({ image: integer, video: integer, audio: integer }),
    'Most images, videos and sounds in a prompt.',
  ),
  engine_args: reaching('engine', freeMap),
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

const REPLACEMENTS = list(block({ key: plainText, value: plainText }))

/** The `function` block: how tool calls are asked for and found. */
const FUNCTION = {
  disable_no_action: flag,
  no_action_function_name: plainText,
  no_action_description_name: plainText,
  response_regex: list(plainText),
  json_regex_match: list(plainText),
  argument_regex: list(plainText),
  argument_regex_key_name: plainText,
  argument_regex_value_name: plainText,
  replace_function_results: REPLACEMENTS,
  replace_llm_results: REPLACEMENTS,
  capture_llm_results: list(plainText),
  function_name_key: plainText,
  function_arguments_key: plainText,
  automatic_tool_parsing_fallback: flag,
  disable_peg_parser: flag,
  xml_format_preset: plainText,
  xml_format: block({
    scope_start: plainText,
    tool_start: plainText,
    tool_sep: plainText,
    key_start: plainText,
    key_val_sep: plainText,
    val_end: plainText,
    tool_end: plainText,
    scope_end: plainText,
    key_val_sep2: plainText,
    raw_argval: flag,
    last_val_end: plainText,
    last_tool_end: plainText,
    trim_raw_argval: flag,
    allow_toolcall_in_think: flag,
  }),
  grammar: block({
    parallel_calls: flag,
    disable_parallel_new_lines: flag,
    mixed_mode: flag,
    no_mixed_free_string: flag,
    disable: flag,
    prefix: plainText,
    expect_strings_after_json: flag,
    properties_order: plainText,
    schema_type: plainText,
    triggers: list(block({ word: plainText })),
  }),
}

/** The `reasoning` block. */
const REASONING = {
  disable: flag,
  disable_reasoning_tag_prefill: flag,
  strip_reasoning_only: flag,
  thinking_start_tokens: list(plainText),
  tag_pairs: list(block({ start: plainText, end: plainText })),
}

/** The `compression` block. */
const COMPRESSION = {
  enabled: flag,
  trigger_at_ratio: fraction,
  keep_tail_tokens: count,
  max_summary_tokens: count,
  compressor_model: plainText,
  on_post_compression_overflow: choice('error', 'drop_oldest_summary'),
}

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
