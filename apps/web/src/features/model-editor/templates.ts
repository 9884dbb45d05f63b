import { PIPELINE_TEMPLATE } from '../../lib/realtime/pipeline-template.ts'

/** The start of a new model file. Its name and words are `template.<id>` in the translations. */
export interface Template {
  readonly id: string
  readonly text: string
}

/** Starts of model files for each kind of model. */
export const TEMPLATES: readonly Template[] = [
  {
    id: 'chat',
    text: `name: my-chat
backend: llama
known_usecases: [chat]
context_size: 8192
parameters:
  model: my-chat.gguf # a file in the models folder
  temperature: 0.7
`,
  },
  {
    id: 'proxy',
    text: `name: my-upstream
backend: cloud-proxy
known_usecases: [chat]
proxy:
  upstream_url: https://models.example/v1/chat/completions
  provider: provider_a # the chat format; provider_b is the messages format
  upstream_model: their-model
  api_key_env: UPSTREAM_KEY # the name of a variable, or api_key_file: the path of a file
`,
  },
  {
    id: 'instance',
    text: `name: my-remote
backend: service-proxy
known_usecases: [chat]
proxy:
  upstream_url: https://other-instance.example
  upstream_model: their-model
  api_key_env: UPSTREAM_KEY # the name of a variable, or api_key_file: the path of a file
`,
  },
  {
    id: 'detector',
    text: `name: people
backend: onnx
known_usecases: [token_classify]
parameters:
  model: people # a folder in the models folder
pii_detection:
  min_score: 0.6
  default_action: mask
  entity_actions:
    PASSWORD: block
`,
  },
  {
    id: 'pattern',
    text: `name: secrets
backend: pattern
pii_detection:
  builtins: [provider_a_api_key, codehost_token, private_key_block]
  patterns:
    - name: TICKET
      match: tick-[0-9]{4,8}
      action: mask
  default_action: mask
`,
  },
  { id: 'routerScore', text: makeRouter('score', ['classifier_model: my-chat', 'activation_threshold: 0.15']) },
  { id: 'routerColbert', text: makeRouter('colbert', ['classifier_model: my-reranker', 'activation_threshold: 0.5']) },
  {
    id: 'routerKnn',
    text: makeRouter('knn', [
      'knn:',
      '  embedding_model: my-embeddings',
      '  k: 5',
      '  similarity_threshold: 0.5',
      '  vote_threshold: 0.5',
    ]),
  },
  {
    id: 'routerDecisions',
    text: makeRouter('decisions', ['classifier_model: my-classifier', 'activation_threshold: 0.5']),
  },
  {
    id: 'intercept',
    text: `name: provider-guard
mitm:
  hosts: [models.example]
pii:
  enabled: true
  detectors: [secrets]
  reversible_redactions: true
`,
  },
  { id: 'pipeline', text: PIPELINE_TEMPLATE },
]

function makeRouter(classifier: string, lines: readonly string[]): string {
  return `name: auto
router:
  classifier: ${classifier}
${lines.map((line) => `  ${line}\n`).join('')}  policies:
    - label: code
      description: Writing and debugging source code
    - label: small_talk
      description: Greetings, thanks and small talk
  candidates: # from the smallest to the largest
    - model: small
      labels: [small_talk]
    - model: large
      labels: [small_talk, code]
  fallback: large
`
}
