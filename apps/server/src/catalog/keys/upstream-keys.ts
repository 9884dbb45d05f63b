import { about, block, choice, count, flag, list, plainText, secretName, spelling } from './fields.ts'

/** The `proxy` block (§2.13). Both spellings of a provider mean the same; ours is the neutral one. */
export const PROXY = {
  upstream_url: about(plainText, 'URL of the upstream.'),
  mode: about(
    choice('passthrough', 'translate'),
    'passthrough relays bytes, translate changes the wire format. Default: passthrough.',
  ),
  provider: about(
    spelling({
      provider_a: 'provider_a',
      openai: 'provider_a',
      provider_b: 'provider_b',
      anthropic: 'provider_b',
    }),
    'Wire format and authentication of the upstream.',
  ),
  translate: about(choice('text', 'full'), 'Whether translate carries text only, or also tools, media and thoughts.'),
  sampling: about(
    choice('drop', 'send'),
    'Whether translate sends temperature and the like, which the newest models refuse. Default: drop.',
  ),
  limit_field: about(
    choice('max_completion_tokens', 'max_tokens'),
    'Name of the limit of an answer that translate sends to provider_a. Default: max_completion_tokens.',
  ),
  stream_usage: about(
    flag,
    'Ask provider_a for the token counts of streams. A relayed client that did not ask gets none. Default: only translate asks.',
  ),
  api_key_env: about(secretName, 'Name of the variable that holds the upstream key.'),
  api_key_file: about(secretName, 'Path of the file that holds the upstream key.'),
  upstream_model: about(plainText, 'Name of the model at the upstream.'),
  request_timeout_seconds: about(count, 'Longest request that is not a stream.'),
  cache_prompt: about(flag, 'Mark the prompt for the cache of the upstream.'),
  realtime_pipeline: plainText,
  api: about(
    choice('instance', 'openai'),
    "Whose routes the upstream of a service-proxy has: another instance, or a provider with OpenAI's. Default: instance.",
  ),
}

/** The `failover` block: other models that take over. Times are written with their unit, such as `15s`. */
export const FAILOVER = {
  targets: list(block({ model: plainText, warm: flag })),
  probe: block({ interval: plainText, timeout: plainText }),
  trip: block({ errors: count, window: plainText }),
  recovery: block({ probes: count, min_dwell: plainText }),
}

/** The `mitm` block (§2.14). */
export const MITM = {
  hosts: about(
    list(plainText),
    'Hosts that are intercepted: names, addresses, and patterns such as *.openai.azure.com. Without any, those of two providers.',
  ),
  paths: about(
    list(plainText),
    'Paths whose text is filtered beside /v1/chat/completions and /v1/messages, such as /v1/responses. A segment * stands for any.',
  ),
}
