/** Names of options in the supported formats: as keys they are not private text. */
export const PUBLIC_KEYS: ReadonlySet<string> = new Set(
  `stream n temperature top_p top_k top_logprobs logprobs max_tokens max_completion_tokens max_output_tokens
  presence_penalty frequency_penalty repeat_penalty repeat_last_n logit_bias seed parallel_tool_calls store suffix echo
  best_of grammar grammar_json_functions min_p typical_p tfz n_keep batch ignore_eos negative_prompt
  negative_prompt_scale clip_skip rope_freq_base rope_freq_scale dimensions pooling_half_life_tokens truncate raw
  background max_tool_calls prompt_cache_key prompt_cache_retention safety_identifier include_usage include_obfuscation
  strict schema name description type cache_control ttl json_schema format effort summary verbosity budget_tokens
  disable_parallel_tool_use mode tools function allowed_tools voice search_context_size user_location city country region
  timezone approximate num_ctx num_predict num_gpu num_thread num_batch stop properties required items
  additionalProperties anyOf oneOf allOf not enum const default title minimum maximum exclusiveMinimum exclusiveMaximum
  minLength maxLength minItems maxItems minProperties maxProperties uniqueItems pattern format multipleOf
  propertyNames prefixItems contains examples deprecated nullable readOnly writeOnly $schema $id $ref $defs $comment
  context_management edits mcp_servers enable_thinking thinking chat_template_kwargs provider effort generate_summary`
    .split(/\s+/)
    .filter((word) => word !== ''),
)

/** Values of options: as values of options they are not private text. */
export const PUBLIC_VALUES: ReadonlySet<string> = new Set(
  `auto none required any text audio json json_object json_schema function tool custom allowed_tools low medium high
  minimal xhigh max default flex priority scale standard_only ephemeral persistent 5m 1h enabled disabled adaptive float base64
  backend mean last decayed_mean object string number integer boolean array null date-time date time uri email uuid
  concise detailed in_memory 24h approximate lark regex grammar wav mp3 pcm16 flac opus
  http://json-schema.org/draft-07/schema# https://json-schema.org/draft/2020-12/schema`
    .split(/\s+/)
    .filter((word) => word !== ''),
)
