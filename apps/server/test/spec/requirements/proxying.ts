import { defineRequirements } from '../requirement.ts'

/** §6.5, 6.6: upstream proxies and the intercepting proxy. */
export const PROXYING = defineRequirements([
  {
    id: 'cloud-proxy:passthrough:verbatim',
    section: '6.5',
    behavior: 'A relayed request goes to the upstream byte for byte, except for the model at its top.',
    state: 'built',
  },
  {
    id: 'cloud-proxy:passthrough:bypasses',
    section: '6.5',
    behavior: 'A relayed request gets no template, no MCP tools and no local model loader.',
    state: 'built',
  },
  {
    id: 'cloud-proxy:passthrough:routes',
    section: '6.5',
    behavior: 'A cloud proxy serves chat completions and messages; other routes are refused with 400.',
    state: 'built',
  },
  {
    id: 'cloud-proxy:passthrough:pairing',
    section: '6.5',
    behavior:
      'Chat goes to `provider_a` and messages to `provider_b`; another pairing is refused with 400 that names the route.',
    state: 'built',
  },
  {
    id: 'cloud-proxy:passthrough:events',
    section: '6.5',
    behavior: "Streamed replies keep the upstream's event names and metadata.",
    state: 'built',
  },
  {
    id: 'cloud-proxy:translate:formats',
    section: '6.5',
    behavior: 'Translation converts between the wire formats, all four pairings.',
    state: 'built',
  },
  {
    id: 'cloud-proxy:translate:text-only',
    section: '6.5',
    behavior:
      'Translation carries text only, unless `proxy.translate` is `full`: tool calls, images and usage are dropped.',
    state: 'built',
  },
  {
    id: 'cloud-proxy:translate:calls',
    section: '6.5',
    behavior:
      'Tool calls of an upstream keep their ids, names and arguments, whatever indexes they come with; they end as calls, and their arguments are a JSON text.',
    state: 'built',
  },
  {
    id: 'cloud-proxy:translate:result-media',
    section: '6.5',
    behavior: "Images of a tool's result go to `provider_a` in the user's turn behind it.",
    state: 'built',
  },
  {
    id: 'cloud-proxy:translate:as-it-came',
    section: '6.5',
    behavior:
      'With `translate: full` a conversation of the messages format reaches `provider_b` as it came: cache marks, signatures of thoughts and titles of documents too.',
    state: 'built',
  },
  {
    id: 'cloud-proxy:translate:sampling',
    section: '6.5',
    behavior: 'Translation sends temperature and the like only with `proxy.sampling: send`.',
    state: 'built',
  },
  {
    id: 'cloud-proxy:translate:limit-field',
    section: '6.5',
    behavior: '`proxy.limit_field` names the limit of an answer for `provider_a`.',
    state: 'built',
  },
  {
    id: 'upstream:encoding:unasked',
    section: '6.5',
    behavior: 'A reply with gzip, deflate or br that nobody asked for is decoded, relayed ones too.',
    state: 'built',
  },
  {
    id: 'cloud-proxy:translate:refusal',
    section: '6.5',
    behavior: 'A reply of `provider_b` that stops with `refusal` becomes an error, streamed or whole.',
    state: 'built',
  },
  {
    id: 'cloud-proxy:translate:normal-end',
    section: '6.5',
    behavior: 'Normal ends are no errors.',
    state: 'built',
  },
  {
    id: 'cloud-proxy:cache-prompt:breakpoints',
    section: '6.5',
    behavior: '`cache_prompt` marks the system block, the last tool and the last message block as cacheable.',
    state: 'built',
  },
  {
    id: 'cloud-proxy:cache-prompt:at-most-three',
    section: '6.5',
    behavior: 'There are at most three cache marks.',
    state: 'built',
  },
  {
    id: 'cloud-proxy:cache-prompt:where',
    section: '6.5',
    behavior: '`cache_prompt` applies to translation with `provider_b` only.',
    state: 'built',
  },
  {
    id: 'service-proxy:forward:every-api',
    section: '6.5',
    behavior: 'A service proxy forwards every API to another instance.',
    state: 'built',
  },
  {
    id: 'service-proxy:chat:messages',
    section: '6.5',
    behavior: "With the usecase `chat` messages go to the upstream's chat route, which applies its own template.",
    state: 'built',
  },
  {
    id: 'service-proxy:chat:rendered',
    section: '6.5',
    behavior: 'Without it the prompt is rendered here and sent to `/v1/completions`.',
    state: 'built',
  },
  {
    id: 'service-proxy:error:unimplemented',
    section: '6.5',
    behavior:
      'Methods without a REST counterpart and an upstream 501 are Unimplemented; failover skips the target without marking it down.',
    state: 'built',
  },
  {
    id: 'service-proxy:error:unavailable',
    section: '6.5',
    behavior: 'Other upstream 5xx and failed connections are Unavailable, and mark the target down.',
    state: 'built',
  },
  {
    id: 'service-proxy:error:invalid',
    section: '6.5',
    behavior: 'Upstream 4xx are InvalidArgument and are not retried.',
    state: 'built',
  },
  {
    id: 'service-proxy:error:exhausted',
    section: '6.5',
    behavior: 'Upstream 429 is ResourceExhausted: the next target is tried and the limited one rests.',
    state: 'built',
  },
  {
    id: 'service-proxy:limit:voice-paths',
    section: '6.5',
    behavior: 'Local paths of voice profiles go on unchanged.',
    state: 'built',
  },
  { id: 'service-proxy:limit:depth', section: '6.5', behavior: 'Depth exports are not supported.', state: 'built' },
  {
    id: 'service-proxy:limit:utterance-end',
    section: '6.5',
    behavior: 'Transcription over REST never flags the end of an utterance.',
    state: 'built',
  },
  {
    id: 'service-proxy:limit:sound-source',
    section: '6.5',
    behavior: 'Sound generation from a source file is not supported.',
    state: 'built',
  },
  {
    id: 'service-proxy:limit:attachments',
    section: '6.5',
    behavior: 'Grammars and attached images, audio and video are not forwarded.',
    state: 'built',
  },
  {
    id: 'service-proxy:limit:streamed-tts',
    section: '6.5',
    behavior: 'A synthesis that fails but ends cleanly goes unnoticed in a stream.',
    state: 'built',
  },
  {
    id: 'upstream:failure:no-retry',
    section: '6.5',
    behavior: 'A transient failure of an upstream is not retried and reaches the client as 502.',
    state: 'built',
  },
  {
    id: 'upstream:failure:body-kept',
    section: '6.5',
    behavior: 'The error body of an upstream is forwarded unchanged, with its status.',
    state: 'built',
  },
  {
    id: 'upstream:reply:not-filtered',
    section: '6.5',
    behavior: 'The filter does not scan whole replies.',
    state: 'built',
  },
  {
    id: 'upstream:usage:details',
    section: '6.5',
    behavior:
      'Cached and reasoning tokens of an upstream reach clients of every format that has fields for them, and the usage reports.',
    state: 'built',
  },
  {
    id: 'usage:estimate:marked',
    section: '6.5',
    behavior:
      'Tokens that an upstream does not say are estimated from the request and the text of the answer; usage rows and reports mark them.',
    state: 'built',
  },
  {
    id: 'usage:estimate:cut',
    section: '6.5',
    behavior: 'A stream that its upstream cuts, or its client leaves, leaves a usage row with the tokens until then.',
    state: 'built',
  },
  {
    id: 'usage:estimate:quota',
    section: '6.5',
    behavior: 'Estimated tokens are settled against quotas.',
    state: 'built',
  },
  {
    id: 'cloud-proxy:stream-usage:asks',
    section: '6.5',
    behavior:
      '`proxy.stream_usage` makes a relayed stream ask for its figures, and keeps them from a client that did not ask.',
    state: 'built',
  },
  {
    id: 'upstream:usage:recorded',
    section: '6.5',
    behavior: "Proxied requests are in usage and traces, with the upstream's token counts where it gives them.",
    state: 'built',
  },
  {
    id: 'mitm:connect:intercepted',
    section: '6.6',
    behavior:
      "CONNECT to a host in any model's `mitm.hosts`, in any case, ends here with a certificate made for that host.",
    state: 'built',
  },
  {
    id: 'mitm:connect:tunnelled',
    section: '6.6',
    behavior: 'CONNECT to any other host is a tunnel that touches nothing.',
    state: 'built',
  },
  {
    id: 'mitm:connect:default-hosts',
    section: '6.6',
    behavior: 'Without any `mitm.hosts` two hosts of model providers are intercepted.',
    state: 'built',
  },
  {
    id: 'mitm:connect:plaintext',
    section: '6.6',
    behavior: 'The listener takes CONNECT without TLS.',
    state: 'built',
  },
  {
    id: 'mitm:body:scanned',
    section: '6.6',
    behavior: 'Bodies of `/v1/messages` and `/v1/chat/completions` are scanned.',
    state: 'built',
  },
  { id: 'mitm:body:others', section: '6.6', behavior: 'Other paths are forwarded as they are.', state: 'built' },
  {
    id: 'mitm:paths:more',
    section: '6.6',
    behavior: '`mitm.paths` adds paths whose bodies are scanned; the end of a path says how.',
    state: 'built',
  },
  {
    id: 'mitm:paths:unread',
    section: '6.6',
    behavior: 'The status lists the scanned paths of each host, and the usual ones that pass unread.',
    state: 'built',
  },
  {
    id: 'mitm:hosts:patterns',
    section: '6.6',
    behavior: '`mitm.hosts` takes patterns; the models of all entries that fit a host count.',
    state: 'built',
  },
  {
    id: 'mitm:entries:refused',
    section: '6.6',
    behavior:
      'An entry of `mitm.hosts` or `mitm.paths` that can match nothing is 400 where a file is written by the API, and ignored with a warning in a file on disk.',
    state: 'built',
  },
  {
    id: 'mitm:reply:stream-filter',
    section: '6.6',
    behavior: 'Streamed replies pass the same stream filter.',
    state: 'built',
  },
  {
    id: 'mitm:block:status',
    section: '6.6',
    behavior: 'A block answers the client 400 `pii_blocked`.',
    state: 'built',
  },
  {
    id: 'mitm:ca:generated',
    section: '6.6',
    behavior: 'The authority is made on first start as `ca.crt` and `ca.key` in its folder.',
    state: 'built',
  },
  {
    id: 'mitm:ca:key-mode',
    section: '6.6',
    behavior: 'The key file of the authority has mode 0600.',
    state: 'built',
  },
  {
    id: 'mitm:ca:reloaded',
    section: '6.6',
    behavior: 'The authority is read again after a restart and never rotated.',
    state: 'built',
  },
  {
    id: 'mitm:ca:own',
    section: '6.6',
    behavior: 'An authority of the operator works with an RSA key, and where its folder or files are links or mounted.',
    state: 'built',
  },
  {
    id: 'mitm:upstream:verified',
    section: '6.6',
    behavior: "Certificates of upstreams are verified against the system's trust store and not pinned.",
    state: 'built',
  },
  {
    id: 'mitm:upstream:extra-ca',
    section: '6.6',
    behavior: '`--mitm-extra-ca` and `NODE_EXTRA_CA_CERTS` add authorities.',
    state: 'built',
  },
  { id: 'mitm:alpn:h2', section: '6.6', behavior: 'TLS offers HTTP/2 and falls back to HTTP/1.1.', state: 'built' },
  {
    id: 'mitm:conflict:union',
    section: '6.6',
    behavior: 'A host that two models claim gets the detectors of both, and the conflict is reported.',
    state: 'built',
  },
])
