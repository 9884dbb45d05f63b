import { BUILTIN_NAMES, ENCODINGS } from '@svc/pii/names'
import {
  type Block,
  block,
  choice,
  type Field,
  flag,
  flagOrCount,
  fraction,
  freeMap,
  integer,
  integerIn,
  listOf,
  mapOf,
  number,
  numberIn,
  spelling,
  text,
  textList,
} from './fields.ts'

/*
 * Every key of a model file and its type (§2.9–2.13), grouped as the groups of the domain type. Each table is the only
 * place where its keys are declared; the types are inferred from it.
 */

const count = integerIn({ min: 0 })

/** Who the model is. */
const IDENTITY = {
  name: text,
  alias: text,
  description: text,
  usage: text,
  disabled: flag,
  pinned: flag,
  debug: flag,
  roles: mapOf(text),
  known_usecases: textList,
  known_input_modalities: textList,
  known_output_modalities: textList,
  concurrency_groups: textList,
}

const ARTIFACT_SOURCE = block({
  type: text,
  repo: text,
  revision: text,
  token_env: text,
  allow_patterns: textList,
  ignore_patterns: textList,
})

/** A managed repository snapshot that belongs to a model. */
export const ARTIFACT = {
  name: text,
  target: choice('model', 'companion'),
  source: ARTIFACT_SOURCE,
  resolved: block({ endpoint: text, revision: text, cache_key: text, primary_file: text }),
}

/** What runs the model and how. */
const ENGINE = {
  backend: text,
  options: textList,
  overrides: textList,
  grpc: block({ attempts: count, attempts_sleep_time: count }),
  threads: integer,
  f16: flag,
  cuda: flag,
  step: integer,
  download_files: listOf(block({ filename: text, uri: text, sha256: text })),
  artifacts: listOf(block(ARTIFACT)),
  limits: block({ max_concurrent: count, retry_after_seconds: count }),
  max_concurrent: count,
  slot_save_path: text,
  feature_flags: mapOf(flag),
  strict_answers: flag,
  context_size: integer,
}

/** The `parameters` block: the weights and how tokens are chosen. */
export const PARAMETERS = {
  model: text,
  language: text,
  translate: flag,
  n: integer,
  top_p: number,
  top_k: integer,
  min_p: number,
  temperature: number,
  max_tokens: integer,
  echo: flag,
  batch: integer,
  ignore_eos: flag,
  repeat_penalty: number,
  repeat_last_n: integer,
  n_keep: integer,
  frequency_penalty: number,
  presence_penalty: number,
  tfz: number,
  typical_p: number,
  seed: integer,
  logprobs: flagOrCount,
  top_logprobs: integer,
  logit_bias: mapOf(number),
  negative_prompt: text,
  negative_prompt_scale: number,
  rope_freq_base: number,
  rope_freq_scale: number,
  clip_skip: integer,
  tokenizer: text,
  encoding_format: text,
  pooling: choice('backend', 'mean', 'last', 'decayed_mean'),
  pooling_half_life_tokens: count,
}

/** The `template` block: template text, or the name of `<name>.tmpl` in the models folder. */
export const TEMPLATE = {
  chat: text,
  chat_message: text,
  completion: text,
  edit: text,
  function: text,
  use_tokenizer_template: flag,
  join_chat_messages_by_character: text,
  multimodal: text,
  reply_prefix: text,
}

/** Top-level keys of language models. */
export const LLM = {
  system_prompt: text,
  embeddings: flag,
  reranking: flag,
  gpu_layers: integer,
  mmap: flag,
  mmlock: flag,
  low_vram: flag,
  numa: flag,
  main_gpu: text,
  tensor_split: text,
  flash_attention: text,
  no_kv_offloading: flag,
  cache_type_k: text,
  cache_type_v: text,
  mmproj: text,
  draft_model: text,
  n_draft: integer,
  lora_adapter: text,
  lora_adapters: textList,
  lora_base: text,
  lora_scale: number,
  lora_scales: listOf(number),
  rope_scaling: text,
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
  prompt_cache_path: text,
  prompt_cache_all: flag,
  prompt_cache_ro: flag,
  grammar: text,
  stopwords: textList,
  cutstrings: textList,
  extract_regex: textList,
  trimspace: textList,
  trimsuffix: textList,
  type: text,
  cfg_scale: number,
}

/** Top-level keys of batch engines. */
export const VLLM = {
  quantization: text,
  load_format: text,
  gpu_memory_utilization: number,
  trust_remote_code: flag,
  enforce_eager: flag,
  swap_space: integer,
  max_model_len: integer,
  tensor_parallel_size: integer,
  disable_log_stats: flag,
  dtype: text,
  limit_mm_per_prompt: block({ image: integer, video: integer, audio: integer }),
  engine_args: freeMap,
}

/** The `diffusers` block. */
export const DIFFUSERS = {
  cuda: flag,
  pipeline_type: text,
  scheduler_type: text,
  enable_parameters: text,
  img2img: flag,
  clip_skip: integer,
  clip_model: text,
  clip_subfolder: text,
  control_net: text,
}

/** The `tts` block. */
export const TTS = { voice: text, audio_path: text, voice_cloning: flag }

const REPLACEMENTS = listOf(block({ key: text, value: text }))

/** The `function` block: how tool calls are asked for and found. */
export const FUNCTION = {
  disable_no_action: flag,
  no_action_function_name: text,
  no_action_description_name: text,
  response_regex: textList,
  json_regex_match: textList,
  argument_regex: textList,
  argument_regex_key_name: text,
  argument_regex_value_name: text,
  replace_function_results: REPLACEMENTS,
  replace_llm_results: REPLACEMENTS,
  capture_llm_results: textList,
  function_name_key: text,
  function_arguments_key: text,
  automatic_tool_parsing_fallback: flag,
  disable_peg_parser: flag,
  xml_format_preset: text,
  xml_format: block({
    scope_start: text,
    tool_start: text,
    tool_sep: text,
    key_start: text,
    key_val_sep: text,
    val_end: text,
    tool_end: text,
    scope_end: text,
    key_val_sep2: text,
    raw_argval: flag,
    last_val_end: text,
    last_tool_end: text,
    trim_raw_argval: flag,
    allow_toolcall_in_think: flag,
  }),
  grammar: block({
    parallel_calls: flag,
    disable_parallel_new_lines: flag,
    mixed_mode: flag,
    no_mixed_free_string: flag,
    disable: flag,
    prefix: text,
    expect_strings_after_json: flag,
    properties_order: text,
    schema_type: text,
    triggers: listOf(block({ word: text })),
  }),
}

/** The `reasoning` block. */
export const REASONING = {
  disable: flag,
  disable_reasoning_tag_prefill: flag,
  strip_reasoning_only: flag,
  thinking_start_tokens: textList,
  tag_pairs: listOf(block({ start: text, end: text })),
}

/** The `compression` block. */
export const COMPRESSION = {
  enabled: flag,
  trigger_at_ratio: fraction,
  keep_tail_tokens: count,
  max_summary_tokens: count,
  compressor_model: text,
  on_post_compression_overflow: choice('error', 'drop_oldest_summary'),
}

const VOICE_RECOGNITION = block({
  model: text,
  mode: choice('identify', 'verify'),
  threshold: numberIn({ min: 0, max: 2 }),
  when: choice('every', 'first'),
  on_reject: choice('drop_event', 'drop_silent'),
  anti_spoofing: flag,
  allow: block({ names: textList, labels: textList }),
  references: listOf(block({ name: text, audio: text })),
  enforce: flag,
  identity: block({
    announce: flag,
    announce_unknown: flag,
    personalize: flag,
    inject_name: flag,
    inject_system_note: flag,
    note_unknown: flag,
  }),
})

const PIPELINE_CLASSIFIER = block({
  enabled: flag,
  model: text,
  threshold: number,
  normalization: text,
  history_items: integer,
  fallback: block({ mode: text, reply: text }),
  options: listOf(
    block({
      id: text,
      description: text,
      reply: text,
      tool: block({
        name: text,
        arguments: freeMap,
        slots: listOf(
          block({
            name: text,
            type: choice('number', 'enum', 'string'),
            values: textList,
            default: text,
            hint: text,
          }),
        ),
      }),
    }),
  ),
  address: block({ names: textList, mode: text, reply: text }),
})

/** The `pipeline` block: the models of a realtime conversation. */
export const PIPELINE = {
  llm: text,
  tts: text,
  transcription: text,
  vad: text,
  sound_detection: text,
  sound_detection_window_ms: integer,
  sound_detection_hop_ms: integer,
  reasoning_effort: text,
  streaming: block({ llm: flag, tts: flag, transcription: flag, clause_chunking: flag }),
  disable_thinking: flag,
  max_history_items: integer,
  compaction: block({ enabled: flag, trigger_items: integer, summary_model: text, max_summary_tokens: integer }),
  disable_warmup: flag,
  turn_detection: block({ type: text, eagerness: text, retranscribe: flag, vad_window_sec: number }),
  voice_recognition: VOICE_RECOGNITION,
  classifier: PIPELINE_CLASSIFIER,
}

const ACTION = choice('mask', 'block', 'allow')

/** The `pii` block of a model whose requests are filtered (§2.10). */
export const PII = {
  enabled: flag,
  detectors: textList,
  reversible_redactions: flag,
  reversible_token_prefix: text,
  reversible_token_suffix: text,
  block_unscanned_media: flag,
  /** Also filters rerank requests, whose documents are compared as they are otherwise. */
  scan_rerank: flag,
}

const GONE = 'belongs to a filter that no longer exists, ignored (name detectors instead)'

/** Keys of `pii` that earlier versions had (§9). */
const LEGACY_PII_KEYS = { patterns: GONE, response: GONE, mode: GONE, actions: GONE, builtins: GONE }

/** The `pii_detection` block of a model that detects (§2.11). */
export const PII_DETECTION = {
  min_score: number,
  default_action: ACTION,
  entity_actions: mapOf(ACTION),
  builtins: listOf(choice(...BUILTIN_NAMES)),
  patterns: listOf(block({ name: text, match: text, action: ACTION, min_len: count })),
  encodings: listOf(choice(...ENCODINGS)),
  extend_to_next_word: textList,
  extend_to_previous_word: textList,
  protected_terms: textList,
  protected_terms_files: textList,
}

/** The `router` block (§2.12). */
export const ROUTER = {
  classifier: text,
  classifier_model: text,
  classifier_cache_size: count,
  classifier_system_template: text,
  score_normalization: choice('raw', 'mean'),
  activation_threshold: fraction,
  policies: listOf(block({ label: text, description: text })),
  candidates: listOf(block({ model: text, labels: textList })),
  fallback: text,
  embedding_cache: block({
    embedding_model: text,
    similarity_threshold: fraction,
    confidence_threshold: fraction,
    store_name: text,
  }),
  knn: block({
    embedding_model: text,
    embedding_revision: text,
    k: integerIn({ min: 0, max: 1024 }),
    similarity_threshold: fraction,
    vote_threshold: fraction,
    store_name: text,
  }),
}

/** The `proxy` block (§2.13). Both spellings of a provider mean the same; ours is the neutral one. */
export const PROXY = {
  upstream_url: text,
  mode: choice('passthrough', 'translate'),
  provider: spelling({
    provider_a: 'provider_a',
    openai: 'provider_a',
    provider_b: 'provider_b',
    anthropic: 'provider_b',
  }),
  translate: choice('text', 'full'),
  api_key_env: text,
  api_key_file: text,
  upstream_model: text,
  request_timeout_seconds: count,
  cache_prompt: flag,
  realtime_pipeline: text,
}

/** The `failover` block: other models that take over. Times are written with their unit, such as `15s`. */
export const FAILOVER = {
  targets: listOf(block({ model: text, warm: flag })),
  probe: block({ interval: text, timeout: text }),
  trip: block({ errors: count, window: text }),
  recovery: block({ probes: count, min_dwell: text }),
}

/** The `mitm` block (§2.14). */
export const MITM = { hosts: textList }

/** The `mcp` block: each value is itself YAML or JSON text with an `mcpServers` map. */
export const MCP = { remote: text, stdio: text }

/** The `agent` block. */
export const AGENT = {
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
  parameters: block(PARAMETERS),
  template: block(TEMPLATE),
  diffusers: block(DIFFUSERS),
  tts: block(TTS),
  function: block(FUNCTION),
  reasoning: block(REASONING),
  reasoning_effort: text,
  chat_template_kwargs: freeMap,
  compression: block(COMPRESSION),
  pipeline: block(PIPELINE),
  pii: block(PII, { ignored: LEGACY_PII_KEYS }),
  pii_detection: block(PII_DETECTION),
  router: block(ROUTER),
  proxy: block(PROXY),
  failover: block(FAILOVER),
  mitm: block(MITM),
  mcp: block(MCP),
  agent: block(AGENT),
}

/** All keys that may stand at the top of a model file. */
export const MODEL_KEYS = { ...IDENTITY, ...ENGINE, ...LLM, ...VLLM, ...BLOCKS }

/** A model file as its keys read, before it becomes a model. */
export type ModelKeys = Block<typeof MODEL_KEYS>

/** Reads the map of a model file. */
export const modelKeys: Field<ModelKeys> = block(MODEL_KEYS)
