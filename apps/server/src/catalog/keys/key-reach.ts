/**
 * Something beyond the model and its folder that the value of a key decides over. A gallery, a document and a file of
 * another person are foreign text: they may set no key that reaches further than `nothing`.
 *
 * - `secret`: names a variable or a file whose content leaves the server
 * - `file`: names a file; only one below the models folder is allowed
 * - `command`: starts a program, or lets the code of a repository run
 * - `upstream`: says where requests go
 * - `interception`: opens TLS connections to a host
 * - `engine`: options of an engine by name, each of which may be any of the above
 */
export type Reach = 'secret' | 'file' | 'command' | 'upstream' | 'interception' | 'engine' | 'nothing'

/** Keys by what they reach. `*` stands for each entry of a list or map. A block stands for all keys below it. */
const REACHING: Readonly<Record<Exclude<Reach, 'nothing'>, readonly string[]>> = {
  secret: [
    'proxy.api_key_env',
    'proxy.api_key_file',
    'artifacts.*.source.token_env',
    'pii_detection.operators.*.hash_key_env',
  ],
  file: [
    'parameters.model',
    'parameters.tokenizer',
    'mmproj',
    'draft_model',
    'lora_adapter',
    'lora_adapters.*',
    'lora_base',
    'prompt_cache_path',
    'slot_save_path',
    'download_files.*.filename',
    'artifacts.*.resolved.cache_key',
    'artifacts.*.resolved.primary_file',
    'diffusers.clip_model',
    'diffusers.clip_subfolder',
    'diffusers.control_net',
    'tts.voice',
    'tts.audio_path',
    'pii_detection.protected_terms_files.*',
    'pipeline.voice_recognition.references.*.audio',
  ],
  command: ['trust_remote_code', 'mcp.stdio'],
  upstream: ['proxy', 'mcp.remote', 'artifacts.*.resolved.endpoint'],
  interception: ['mitm'],
  engine: ['options.*', 'engine_args'],
}

/** Keys that reach nothing, a block a line. */
const HARMLESS: Readonly<Record<string, string>> = {
  '': `name alias description usage disabled pinned debug roles.* known_usecases.* known_input_modalities.*
    known_output_modalities.* concurrency_groups.* backend overrides.* threads f16 cuda step max_concurrent feature_flags.*
    strict_answers context_size system_prompt embeddings reranking gpu_layers mmap mmlock low_vram numa main_gpu tensor_split
    flash_attention no_kv_offloading cache_type_k cache_type_v n_draft lora_scale lora_scales.* rope_scaling yarn_ext_factor
    yarn_attn_factor yarn_beta_fast yarn_beta_slow rms_norm_eps ngqa no_mulmatq mirostat mirostat_eta mirostat_tau
    prompt_cache_all prompt_cache_ro grammar stopwords.* cutstrings.* extract_regex.* trimspace.* trimsuffix.* type cfg_scale
    quantization load_format gpu_memory_utilization enforce_eager swap_space max_model_len tensor_parallel_size
    disable_log_stats dtype reasoning_effort chat_template_kwargs`,
  grpc: 'attempts attempts_sleep_time',
  limits: 'max_concurrent retry_after_seconds',
  limit_mm_per_prompt: 'image video audio',
  'download_files.*': 'uri sha256',
  'artifacts.*': 'name target',
  'artifacts.*.source': 'type repo revision allow_patterns.* ignore_patterns.*',
  'artifacts.*.resolved': 'revision',
  parameters: `language translate n top_p top_k min_p temperature max_tokens echo batch ignore_eos repeat_penalty
    repeat_last_n n_keep frequency_penalty presence_penalty tfz typical_p seed logprobs top_logprobs logit_bias.*
    negative_prompt negative_prompt_scale rope_freq_base rope_freq_scale clip_skip encoding_format pooling
    pooling_half_life_tokens`,
  template: `chat chat_message completion edit function use_tokenizer_template join_chat_messages_by_character multimodal
    reply_prefix`,
  diffusers: 'cuda pipeline_type scheduler_type enable_parameters img2img clip_skip',
  tts: 'voice_cloning',
  function: `disable_no_action no_action_function_name no_action_description_name response_regex.* json_regex_match.*
    argument_regex.* argument_regex_key_name argument_regex_value_name replace_function_results.*.key
    replace_function_results.*.value replace_llm_results.*.key replace_llm_results.*.value capture_llm_results.*
    function_name_key function_arguments_key automatic_tool_parsing_fallback disable_peg_parser xml_format_preset`,
  'function.xml_format': `scope_start tool_start tool_sep key_start key_val_sep val_end tool_end scope_end key_val_sep2
    raw_argval last_val_end last_tool_end trim_raw_argval allow_toolcall_in_think`,
  'function.grammar': `parallel_calls disable_parallel_new_lines mixed_mode no_mixed_free_string disable prefix
    expect_strings_after_json properties_order schema_type triggers.*.word`,
  reasoning: `disable disable_reasoning_tag_prefill strip_reasoning_only thinking_start_tokens.* tag_pairs.*.start
    tag_pairs.*.end`,
  compression: `enabled trigger_at_ratio keep_tail_tokens max_summary_tokens compressor_model
    on_post_compression_overflow`,
  pipeline: `llm tts transcription vad sound_detection sound_detection_window_ms sound_detection_hop_ms reasoning_effort
    disable_thinking max_history_items disable_warmup`,
  'pipeline.streaming': 'llm tts transcription clause_chunking',
  'pipeline.compaction': 'enabled trigger_items summary_model max_summary_tokens',
  'pipeline.turn_detection': 'type eagerness retranscribe vad_window_sec',
  'pipeline.voice_recognition': `model mode threshold when on_reject anti_spoofing allow.names.* allow.labels.*
    references.*.name enforce`,
  'pipeline.voice_recognition.identity': `announce announce_unknown personalize inject_name inject_system_note
    note_unknown`,
  'pipeline.classifier': `enabled model threshold normalization history_items fallback.mode fallback.reply address.names.*
    address.mode address.reply`,
  'pipeline.classifier.options.*': 'id description reply tool.name tool.arguments',
  'pipeline.classifier.options.*.tool.slots.*': 'name type values.* default hint',
  pii: `enabled detectors.* reversible_redactions reversible_token_prefix reversible_token_suffix block_unscanned_media
    scan_rerank`,
  pii_detection: `min_score default_action entity_actions.* builtins.* encodings.* extend_to_next_word.*
    extend_to_previous_word.* protected_terms.*`,
  'pii_detection.patterns.*': 'name match action min_len',
  'pii_detection.operators.*': 'replace keep_last',
  router: `classifier classifier_model classifier_cache_size classifier_system_template score_normalization
    activation_threshold policies.*.label policies.*.description candidates.*.model candidates.*.labels.* fallback`,
  'router.embedding_cache': 'embedding_model similarity_threshold confidence_threshold store_name',
  'router.knn': 'embedding_model embedding_revision k similarity_threshold vote_threshold store_name',
  failover: `targets.*.model targets.*.warm probe.interval probe.timeout trip.errors trip.window recovery.probes
    recovery.min_dwell`,
  agent: `max_attempts max_iterations enable_reasoning enable_planning enable_mcp_prompts enable_plan_re_evaluator
    disable_sink_state loop_detection max_adjustment_attempts force_reasoning_tool`,
}

/** Every row of the table. */
export const KEY_REACH: ReadonlyMap<string, Reach> = new Map([
  ...(Object.keys(REACHING) as Exclude<Reach, 'nothing'>[]).flatMap((reach) =>
    REACHING[reach].map((key): [string, Reach] => [key, reach]),
  ),
  ...Object.entries(HARMLESS).flatMap(([block, keys]) =>
    keys.split(/\s+/).map((key): [string, Reach] => [block === '' ? key : `${block}.${key}`, 'nothing']),
  ),
])

/** Gives what a key reaches, by its own row or that of its nearest block; undefined for a key without a row. */
export function findReach(path: readonly string[]): Reach | undefined {
  for (let length = path.length; length > 0; length -= 1) {
    const reach = KEY_REACH.get(path.slice(0, length).join('.'))
    if (reach !== undefined) return reach
  }
  return undefined
}
