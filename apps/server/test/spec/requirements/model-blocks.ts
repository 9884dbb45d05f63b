import { defineRequirements } from '../requirement.ts'

/** §2.9–2.14: keys of model files, and the settings of the intercepting proxy. */
export const MODEL_BLOCKS = defineRequirements([
  {
    id: 'model-file:name:served-under',
    section: '2.9',
    behavior: 'Requests name a model by the `name` in its file.',
    state: 'built',
  },
  {
    id: 'model-file:backend:chosen',
    section: '2.9',
    behavior: '`backend` names the backend that runs a model.',
    state: 'built',
  },
  {
    id: 'model-file:backend:gguf-default',
    section: '2.9',
    behavior: 'GGUF weights whose file names no backend run on `llama`.',
    state: 'built',
  },
  {
    id: 'model-file:backend:order',
    section: '2.9',
    behavior: 'An external or installed backend of a name wins over the built-in one.',
    state: 'built',
  },
  {
    id: 'model-file:backend:encoders',
    section: '2.9',
    behavior:
      '`onnx`, `transformers`, `rerankers`, `privacy-filter` and `sentencetransformers` name the built-in encoder backend.',
    state: 'built',
  },
  {
    id: 'model-file:backend:speech',
    section: '2.9',
    behavior:
      '`whisper`, `faster-whisper`, `sherpa-onnx`, `piper`, `kokoro`, `silero-vad`, `flite` and `speech` name the built-in speech backend, which tells the engine by the file.',
    state: 'built',
  },
  {
    id: 'model-file:backend:in-process',
    section: '2.9',
    behavior: '`pattern`, `cloud-proxy`, `service-proxy` and `local-store` run inside the server.',
    state: 'built',
  },
  {
    id: 'model-file:demo:usable-by-name',
    section: '2.9',
    behavior:
      'A demo model leaves the list once the models folder holds a model for its main use. It stays usable by name.',
    state: 'built',
  },
  {
    id: 'model-file:demo:examples',
    section: '2.9',
    behavior: 'The examples of the pages that name demo models work as printed beside an own chat model.',
    state: 'built',
  },
  {
    id: 'model-file:backend:contract',
    section: '2.9',
    behavior:
      'The backend contract is that of existing backends: package, service, calls, messages and field numbers agree.',
    state: 'built',
  },
  {
    id: 'model-file:backend:extensions-apart',
    section: '2.9',
    behavior: 'Calls that the contract lacks form a service of their own beside it.',
    state: 'built',
  },
  {
    id: 'model-file:usecases:list',
    section: '2.9',
    behavior: '`known_usecases` lists the uses of a model, `chat`, `token_classify` and `decisions` among others.',
    state: 'built',
  },
  {
    id: 'model-file:max-concurrent:key',
    section: '2.9',
    behavior:
      '`max_concurrent` is the model limit: the most requests that a model serves at a time. `limits.max_concurrent` is the same key.',
    state: 'built',
  },
  {
    id: 'model-file:blocks:load',
    section: '2.9',
    behavior:
      'The blocks `pii`, `pii_detection`, `router`, `proxy`, `mitm` and `pipeline` and the key `slot_save_path` load with the types given here.',
    state: 'built',
  },
  {
    id: 'model-file:unknown-key:warned',
    section: '2.9',
    behavior: 'An unknown key is kept, with a warning that names file, line and key.',
    state: 'built',
  },
  {
    id: 'model-file:wrong-type:that-file-alone',
    section: '2.9',
    behavior: 'A known key of the wrong type makes an error of its file and of no other.',
    state: 'built',
  },
  {
    id: 'model-file:several:all',
    section: '2.9',
    behavior:
      'A file that is a list of models, or has several YAML documents, gives all of them; a fault in one leaves the others as they are.',
    state: 'built',
  },
  {
    id: 'model-file:galleries:load-as-they-are',
    section: '2.9',
    behavior: 'Model files of existing galleries load without a change.',
    state: 'built',
  },
  {
    id: 'model-file:foreign:refused',
    section: '2.9',
    behavior:
      'A gallery and a document at an address set no secret, upstream, command, intercepted host and no file outside the models folder; the administrator may set them in the request or later.',
    state: 'built',
  },
  {
    id: 'model-file:templates:go-syntax',
    section: '2.9',
    behavior: 'Chat templates in Go syntax work.',
    state: 'built',
  },
  {
    id: 'model-file:chat-template:any-conversation',
    section: '2.9',
    behavior:
      'The chat template of weights gets a conversation in the form that it accepts and shows: arguments and ids of calls, system turns, neighbours of one role, and tools without a description or parameters.',
    state: 'built',
  },
  {
    id: 'model-file:chat-template:tool-use',
    section: '2.9',
    behavior: 'The template that weights name `tool_use` is used for requests with tools.',
    state: 'built',
  },
  {
    id: 'model-file:chat-template:tools-not-shown',
    section: '2.9',
    behavior: 'A reply of a template that shows no tools has the warning `tools_not_shown` in `x-svc-warning`.',
    state: 'built',
  },
  {
    id: 'model-file:chat-template:absent',
    section: '2.9',
    behavior:
      'A model without a chat template continues text: `svc models add`, `svc models list`, its page, the log and `x-svc-warning` say so, and it is not offered for chats until its file names a template.',
    state: 'built',
  },
  {
    id: 'model-file:pii:policy',
    section: '2.9',
    behavior: '`pii` is the filter policy of a model whose requests are scanned.',
    state: 'built',
  },
  {
    id: 'model-file:pii-detection:policy',
    section: '2.9',
    behavior: '`pii_detection` is the policy of a model that detects.',
    state: 'built',
  },
  {
    id: 'model-file:router:makes-router',
    section: '2.9',
    behavior: '`router` makes a model a router.',
    state: 'built',
  },
  {
    id: 'model-file:proxy:upstream',
    section: '2.9',
    behavior: '`proxy` names the upstream of a model.',
    state: 'built',
  },
  {
    id: 'model-file:mitm:hosts',
    section: '2.9',
    behavior: '`mitm.hosts` lists the host names whose TLS traffic a model intercepts.',
    state: 'built',
  },
  {
    id: 'model-file:pipeline:sub-models',
    section: '2.9',
    behavior:
      '`pipeline` names the models of a realtime conversation: voice detection, transcription, language, speech, sound detection and voice recognition.',
    state: 'built',
  },
  {
    id: 'model-file:slots:enabled',
    section: '2.9',
    behavior: '`slot_save_path` turns on saving and restoring of slots.',
    state: 'built',
  },
  {
    id: 'pii:policy:enabled-wins',
    section: '2.10',
    behavior: '`pii.enabled`, where it is set, beats all defaults.',
    state: 'built',
  },
  {
    id: 'pii:policy:detectors',
    section: '2.10',
    behavior: '`pii.detectors` names the detector models to apply.',
    state: 'built',
  },
  {
    id: 'pii:policy:reversible-off',
    section: '2.10',
    behavior: 'Redactions cannot be reversed unless `reversible_redactions` is set.',
    state: 'built',
  },
  {
    id: 'pii:policy:prefix-default',
    section: '2.10',
    behavior: 'Reversible tokens start with `[REDACTED:` unless `reversible_token_prefix` says otherwise.',
    state: 'built',
  },
  {
    id: 'pii:policy:suffix-default',
    section: '2.10',
    behavior: 'Reversible tokens end with `]` unless `reversible_token_suffix` says otherwise.',
    state: 'built',
  },
  {
    id: 'pii:media:refused',
    section: '2.10',
    behavior:
      'With `block_unscanned_media` and the filter on, a request with an image, audio, video or a file is refused with 400.',
    state: 'built',
  },
  {
    id: 'pii:media:type',
    section: '2.10',
    behavior: 'The refusal of unscanned media has the type `pii_blocked`.',
    state: 'built',
  },
  {
    id: 'pii:media:audited',
    section: '2.10',
    behavior: 'The refusal of unscanned media is audited under the pattern `__unscanned_media__`.',
    state: 'built',
  },
  {
    id: 'pii:media:routes',
    section: '2.10',
    behavior: 'Unscanned media are refused on the routes for chat, responses, messages and alternate-ecosystem chat.',
    state: 'built',
  },
  {
    id: 'pii:media:generate',
    section: '2.10',
    behavior: 'Images sent to `/api/generate` count as media of an alternate-ecosystem chat.',
    state: 'built',
  },
  {
    id: 'detector:ner:known-by',
    section: '2.11',
    behavior:
      'A named-entity detector is a model whose usecases hold `token_classify`, with embeddings pooled for token classification.',
    state: 'built',
  },
  {
    id: 'detector:policy:min-score',
    section: '2.11',
    behavior: 'A detection below `min_score` is dropped.',
    state: 'built',
  },
  {
    id: 'detector:policy:default-action',
    section: '2.11',
    behavior: '`default_action` is `mask`, `block` or `allow`, and applies to every group without an entry of its own.',
    state: 'built',
  },
  {
    id: 'detector:policy:entity-actions',
    section: '2.11',
    behavior: '`entity_actions` gives a group its own action.',
    state: 'built',
  },
  {
    id: 'detector:policy:group-names',
    section: '2.11',
    behavior: 'The model decides the names of groups.',
    state: 'built',
  },
  {
    id: 'detector:extend:next-word',
    section: '2.11',
    behavior: 'A detection of a group in `extend_to_next_word` also covers the next word of its line.',
    state: 'built',
  },
  {
    id: 'detector:extend:previous-word',
    section: '2.11',
    behavior: 'A detection of a group in `extend_to_previous_word` also covers the word before it on its line.',
    state: 'built',
  },
  {
    id: 'detector:extend:previous-letters',
    section: '2.11',
    behavior: "The word before is taken only if it consists of letters, `-` and `'`.",
    state: 'built',
  },
  {
    id: 'detector:extend:word',
    section: '2.11',
    behavior: "A word is a run of letters, digits, combining marks, `-`, `'` and inner dots, without a dot at its end.",
    state: 'built',
  },
  {
    id: 'detector:extend:spaces',
    section: '2.11',
    behavior: 'The extension passes over spaces and tabs and never over a line break.',
    state: 'built',
  },
  {
    id: 'detector:extend:one-word',
    section: '2.11',
    behavior: 'The extension adds one word at most.',
    state: 'built',
  },
  {
    id: 'detector:extend:none',
    section: '2.11',
    behavior: 'The extension does nothing where no word follows.',
    state: 'built',
  },
  {
    id: 'detector:extend:digits',
    section: '2.11',
    behavior: 'The extension to the word before takes none with digits.',
    state: 'built',
  },
  {
    id: 'detector:extend:protected',
    section: '2.11',
    behavior: 'No extension takes a protected term.',
    state: 'built',
  },
  {
    id: 'detector:terms:placeholder',
    section: '2.11',
    behavior: 'Protected terms are replaced by a neutral placeholder before detection and put back after it.',
    state: 'built',
  },
  {
    id: 'detector:terms:whole-word',
    section: '2.11',
    behavior: 'A protected term counts as a whole word in any case.',
    state: 'built',
  },
  {
    id: 'detector:terms:part-of-word',
    section: '2.11',
    behavior: "A term inside a longer word is not protected; `-`, `'` and inner dots beside it make it part of one.",
    state: 'built',
  },
  {
    id: 'detector:terms:files',
    section: '2.11',
    behavior: '`protected_terms_files` names files inside the models path, one term a line.',
    state: 'built',
  },
  {
    id: 'detector:terms:comments',
    section: '2.11',
    behavior: '`#` starts a comment in a file of terms.',
    state: 'built',
  },
  {
    id: 'detector:terms:re-read',
    section: '2.11',
    behavior: 'A file of terms is read again when it changes.',
    state: 'built',
  },
  {
    id: 'detector:terms:min-length',
    section: '2.11',
    behavior: 'Protected terms of fewer than 3 characters are ignored.',
    state: 'built',
  },
  {
    id: 'detector:terms:missing-file',
    section: '2.11',
    behavior: 'A file of terms that is missing or unreadable is skipped with a warning.',
    state: 'built',
  },
  {
    id: 'detector:terms:ner-only',
    section: '2.11',
    behavior: 'A pattern detector scans the original text, protected terms included.',
    state: 'built',
  },
  {
    id: 'pattern:detector:in-process',
    section: '2.11',
    behavior: 'A model with `backend: pattern` detects inside the server and needs no download.',
    state: 'built',
  },
  {
    id: 'pattern:policy:default-action',
    section: '2.11',
    behavior: 'A pattern detector has a `default_action`.',
    state: 'built',
  },
  {
    id: 'pattern:builtins:catalogue',
    section: '2.11',
    behavior:
      '`builtins` names ready patterns: `provider_a_api_key`, `provider_b_api_key`, `codehost_token`, `cloud_access_key` and `private_key_block`.',
    state: 'built',
  },
  {
    id: 'pattern:builtins:other-names',
    section: '2.11',
    behavior: "The vendors' own names of the built-in patterns mean the same; reports use the neutral ones.",
    state: 'built',
  },
  {
    id: 'pattern:builtins:structured',
    section: '2.11',
    behavior:
      'Built-in patterns for e-mail, payment cards, IBAN, phone, IP and national ids are off unless they are named.',
    state: 'built',
  },
  {
    id: 'pattern:builtins:sets',
    section: '2.11',
    behavior: '`builtins` also takes `secrets`, `structured` and `all`, for many built-in patterns together.',
    state: 'built',
  },
  {
    id: 'detector:operators:replacement',
    section: '2.11',
    behavior:
      '`operators` gives the masked values of a group a text of its own, a hash with a key, or their last characters; without it they have the fixed text.',
    state: 'built',
  },
  {
    id: 'detector:operators:reversible',
    section: '2.11',
    behavior:
      'With `reversible_redactions` a masked value has its token, whatever the operators say, except for `fake`.',
    state: 'built',
  },
  {
    id: 'pii:conversation-tokens',
    section: '2.10',
    behavior:
      '`conversation_tokens` keeps the tokens of reversible redactions over the requests of one conversation of one caller, sealed and with an end; replies to later requests have the values again.',
    state: 'built',
  },
  {
    id: 'pii:conversation-tokens:responses',
    section: '2.10',
    behavior:
      'Responses that continue one another by `previous_response_id` are one conversation of `conversation_tokens`, unless the request names another one.',
    state: 'built',
  },
  {
    id: 'pii:conversation-tokens:apart',
    section: '2.10',
    behavior: 'Another user or API key with the same id of a conversation has other tokens and gets no values.',
    state: 'built',
  },
  {
    id: 'detector:lists:files',
    section: '2.11',
    behavior:
      '`deny_list_files` and `allow_list_files` name files in the models folder, an entry a line. A change acts on the next request; a file that cannot be used fails requests.',
    state: 'built',
  },
  {
    id: 'detector:operators:unknown-group',
    section: '2.11',
    behavior:
      'The routes that write model files refuse `operators` and `entity_min_scores` of groups that the patterns of a detector never report, with the name of the group.',
    state: 'built',
  },
  {
    id: 'detector:operators:fake:shared',
    section: '2.11',
    behavior:
      'A value has the same invented value on every server of a database and after a restart: the secret of the server decides.',
    state: 'built',
  },
  {
    id: 'detector:operators:fake',
    section: '2.11',
    behavior:
      '`fake` puts an invented value in place of a masked one, equal for equal values; with `reversible_redactions` the reply has the value again.',
    state: 'built',
  },
  {
    id: 'detector:operators:checked-at-load',
    section: '2.11',
    behavior:
      'A file with an operator that cannot be used, or with one of a group that its patterns never report, is refused, with its name and line.',
    state: 'built',
  },
  {
    id: 'detector:lists',
    section: '2.11',
    behavior:
      '`deny_list` names terms by group that a detector always finds, as whole words in any case; `allow_list` names values that it never finds.',
    state: 'built',
  },
  {
    id: 'detector:entity-min-scores',
    section: '2.11',
    behavior:
      '`entity_min_scores` gives a group its own lowest score in place of `min_score`; it also holds for values that only a label speaks for.',
    state: 'built',
  },
  {
    id: 'pattern:patterns:fields',
    section: '2.11',
    behavior: 'An entry of `patterns` has a `name` and a `match`, and may have an `action` and a `min_len`.',
    state: 'built',
  },
  {
    id: 'pattern:patterns:min-len',
    section: '2.11',
    behavior: 'A match shorter than `min_len` does not count.',
    state: 'built',
  },
  {
    id: 'pattern:grammar:checked-at-load',
    section: '2.11',
    behavior: 'Patterns are checked when the model loads, and an invalid one is rejected.',
    state: 'built',
  },
  { id: 'pattern:grammar:literals', section: '2.11', behavior: 'A pattern may hold literal text.', state: 'built' },
  {
    id: 'pattern:grammar:classes',
    section: '2.11',
    behavior: 'A pattern may hold character classes.',
    state: 'built',
  },
  {
    id: 'pattern:grammar:escapes',
    section: '2.11',
    behavior: 'A pattern may hold `\\w`, `\\d` and `\\s`, which mean ASCII.',
    state: 'built',
  },
  {
    id: 'pattern:grammar:alternation',
    section: '2.11',
    behavior: 'A pattern may hold alternatives.',
    state: 'built',
  },
  {
    id: 'pattern:grammar:anchors',
    section: '2.11',
    behavior: 'A pattern may hold the anchors `^`, `$` and `\\b`.',
    state: 'built',
  },
  {
    id: 'pattern:grammar:quantifiers',
    section: '2.11',
    behavior: 'A pattern may repeat with `?`, `*`, `+` and `{m,n}`.',
    state: 'built',
  },
  { id: 'pattern:grammar:dot', section: '2.11', behavior: 'A pattern with `.` is rejected.', state: 'built' },
  {
    id: 'pattern:grammar:capturing-group',
    section: '2.11',
    behavior: 'A pattern with a capturing group is rejected.',
    state: 'built',
  },
  {
    id: 'pattern:grammar:large-bound',
    section: '2.11',
    behavior: 'A pattern with a repetition bound over 4096 is rejected.',
    state: 'built',
  },
  {
    id: 'pattern:grammar:literal-run',
    section: '2.11',
    behavior: 'A pattern without a fixed run of 3 literal characters is rejected.',
    state: 'built',
  },
  {
    id: 'pattern:engine:linear',
    section: '2.11',
    behavior: 'Matching takes time linear in the text, and no legal pattern is refused for its size.',
    state: 'built',
  },
  {
    id: 'pattern:match:group',
    section: '2.11',
    behavior:
      'A match is reported under the name of its built-in or pattern, to which the actions apply as to any group.',
    state: 'built',
  },
  {
    id: 'router:block:classifier-default',
    section: '2.12',
    behavior: 'A router that names no classifier uses `score`.',
    state: 'built',
  },
  {
    id: 'router:block:classifier-values',
    section: '2.12',
    behavior: 'The classifier is `score`, `colbert`, `knn` or `decisions`.',
    state: 'built',
  },
  {
    id: 'router:decisions:no-template',
    section: '2.12',
    behavior: 'The classifier `decisions` needs no chat template.',
    state: 'built',
  },
  {
    id: 'router:decisions:independent',
    section: '2.12',
    behavior:
      'The classifier `decisions` gives each policy a yes or no probability of its own, not shared out over the labels.',
    state: 'built',
  },
  {
    id: 'router:block:classifier-model',
    section: '2.12',
    behavior: '`classifier_model` names the model that classifies.',
    state: 'built',
  },
  {
    id: 'router:lru:key',
    section: '2.12',
    behavior: 'The classifier cache is keyed on the prompt, folded in case and trimmed.',
    state: 'built',
  },
  {
    id: 'router:lru:zero-is-default',
    section: '2.12',
    behavior: '`classifier_cache_size` 0 means 1024; the cache cannot be turned off in the file.',
    state: 'built',
  },
  {
    id: 'router:block:threshold-floor',
    section: '2.12',
    behavior: '`activation_threshold` is the least probability of an active label.',
    state: 'built',
  },
  {
    id: 'router:block:threshold-score',
    section: '2.12',
    behavior: 'The threshold 0 means 0.15 for `score`.',
    state: 'built',
  },
  {
    id: 'router:block:threshold-others',
    section: '2.12',
    behavior: 'The threshold 0 means 0.5 for `colbert` and `decisions`.',
    state: 'built',
  },
  {
    id: 'router:block:threshold-ranks',
    section: '2.12',
    behavior: 'The thresholds of `colbert` may exceed 1, because the scores of a reranker need not be probabilities.',
    state: 'built',
  },
  { id: 'router:block:fallback', section: '2.12', behavior: '`fallback` is the name of a model.', state: 'built' },
  {
    id: 'router:block:policies',
    section: '2.12',
    behavior: '`policies` is the list of labels with their descriptions.',
    state: 'built',
  },
  {
    id: 'router:block:descriptions-verbatim',
    section: '2.12',
    behavior: 'The classifier prompt contains the descriptions word for word.',
    state: 'built',
  },
  {
    id: 'router:block:candidate-order',
    section: '2.12',
    behavior: 'Candidates are listed from small to large, and their order counts.',
    state: 'built',
  },
  {
    id: 'router:block:candidate-labels',
    section: '2.12',
    behavior: 'A candidate may only name labels that `policies` declares.',
    state: 'built',
  },
  {
    id: 'router:cache:optional',
    section: '2.12',
    behavior: '`embedding_cache` adds a second cache by similarity.',
    state: 'built',
  },
  {
    id: 'router:cache:model',
    section: '2.12',
    behavior: '`embedding_cache.embedding_model` names the model that embeds prompts.',
    state: 'built',
  },
  {
    id: 'router:cache:similarity-default',
    section: '2.12',
    behavior: 'A cached decision needs a similarity of 0.80 unless the file says otherwise.',
    state: 'built',
  },
  {
    id: 'router:cache:confidence-default',
    section: '2.12',
    behavior: 'A decision is cached if its score is 0.60 or more, unless the file sets another score.',
    state: 'built',
  },
  {
    id: 'router:cache:store-name',
    section: '2.12',
    behavior: 'The cache of a router is the collection `router-cache-<router>` unless `store_name` says otherwise.',
    state: 'built',
  },
  {
    id: 'router:cache:not-for-knn',
    section: '2.12',
    behavior: 'The embedding cache of a `knn` router is ignored with a warning.',
    state: 'built',
  },
  {
    id: 'router:knn:keys',
    section: '2.12',
    behavior: '`knn` takes `k`, `similarity_threshold` and `embedding_revision`.',
    state: 'built',
  },
  {
    id: 'router:knn:k-max',
    section: '2.12',
    behavior: 'A `k` over 1024 is an error of the model file.',
    state: 'built',
  },
  {
    id: 'proxy:mode:default',
    section: '2.13',
    behavior: 'A cloud proxy relays requests unless its mode is `translate`.',
    state: 'built',
  },
  {
    id: 'proxy:mode:service-proxy',
    section: '2.13',
    behavior: 'A service proxy ignores the mode.',
    state: 'built',
  },
  {
    id: 'proxy:provider:wire-format',
    section: '2.13',
    behavior:
      '`provider` is `provider_a` or `provider_b` and decides how to authenticate and, when translating, the wire format.',
    state: 'built',
  },
  {
    id: 'proxy:provider:vendor-names',
    section: '2.13',
    behavior: '`openai` and `anthropic` are accepted for `provider_a` and `provider_b`.',
    state: 'built',
  },
  {
    id: 'proxy:provider:service-proxy',
    section: '2.13',
    behavior: 'A service proxy ignores the provider.',
    state: 'built',
  },
  {
    id: 'proxy:url:cloud',
    section: '2.13',
    behavior: '`upstream_url` of a cloud proxy is the whole URL of the endpoint.',
    state: 'built',
  },
  {
    id: 'proxy:url:service-root',
    section: '2.13',
    behavior:
      '`upstream_url` of a service proxy is the root of the upstream; `/v1` and the rest of the path are cut off with a warning.',
    state: 'built',
  },
  {
    id: 'proxy:model:replaced',
    section: '2.13',
    behavior: '`upstream_model` takes the place of the model at the top of the request.',
    state: 'built',
  },
  {
    id: 'proxy:model:service-default',
    section: '2.13',
    behavior: 'A service proxy asks for the model by its own name unless `upstream_model` names another.',
    state: 'built',
  },
  {
    id: 'proxy:key:from-env',
    section: '2.13',
    behavior: '`api_key_env` names the environment variable with the upstream key.',
    state: 'built',
  },
  {
    id: 'proxy:key:from-file',
    section: '2.13',
    behavior: '`api_key_file` names a file with the upstream key, read at load and trimmed.',
    state: 'built',
  },
  {
    id: 'proxy:key:file-of-operator',
    section: '2.13',
    behavior:
      'A model file that an operator put into the models folder may name any key file, and keeps it through changes over the API that leave its upstream as it is.',
    state: 'built',
  },
  {
    id: 'proxy:key:file-over-api',
    section: '2.13',
    behavior:
      'A key file that came by a gallery, an import, an edit or a copy lies below `--secrets-path`, links followed; another one is refused with 403.',
    state: 'built',
  },
  {
    id: 'proxy:key:own-secrets',
    section: '2.13',
    behavior: 'No key of a model file reads a file or a variable with a secret of the server itself.',
    state: 'built',
  },
  {
    id: 'proxy:key:one-source',
    section: '2.13',
    behavior: 'A file that sets both `api_key_env` and `api_key_file` is an error.',
    state: 'built',
  },
  {
    id: 'proxy:key:never-shown',
    section: '2.13',
    behavior: 'No model file and no admin page contains the upstream key.',
    state: 'built',
  },
  {
    id: 'proxy:key:none',
    section: '2.13',
    behavior: 'Without either key the upstream gets no `Authorization` header.',
    state: 'built',
  },
  {
    id: 'proxy:key:empty-variable',
    section: '2.13',
    behavior: 'A model whose `api_key_env` names an empty or unset variable does not load.',
    state: 'built',
  },
  {
    id: 'proxy:key:client-dropped',
    section: '2.13',
    behavior: "The client's `Authorization` never goes upstream.",
    state: 'built',
  },
  {
    id: 'proxy:key:service-bearer',
    section: '2.13',
    behavior: 'A service proxy sends its key as `Authorization: Bearer`.',
    state: 'built',
  },
  {
    id: 'proxy:timeout:whole',
    section: '2.13',
    behavior: '`request_timeout_seconds` limits each request that is not streamed.',
    state: 'built',
  },
  { id: 'proxy:timeout:streams', section: '2.13', behavior: 'Streams have no time limit.', state: 'built' },
  {
    id: 'proxy:realtime:pipeline',
    section: '2.13',
    behavior: '`realtime_pipeline` names the pipeline of the upstream that transcribes live.',
    state: 'built',
  },
  {
    id: 'mitm:listen:off',
    section: '2.14',
    behavior: 'The intercepting proxy listens at `--mitm-listen` or `SVC_MITM_LISTEN`, and not at all without them.',
    state: 'built',
  },
  {
    id: 'mitm:ca:folder',
    section: '2.14',
    behavior: 'Its authority is kept in `--mitm-ca-dir` or `SVC_MITM_CA_DIR`, by default `mitm-ca` in the data path.',
    state: 'built',
  },
])
