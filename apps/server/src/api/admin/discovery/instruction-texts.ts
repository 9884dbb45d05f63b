import { ADMIN_INSTRUCTIONS } from './admin-instruction-texts.ts'
import type { Instruction } from './instruction.ts'

/** Pages of the areas that are built. */
export const INSTRUCTIONS: readonly Instruction[] = [
  {
    name: 'chat-inference',
    description: 'Continue conversations with a model, whole or streamed, in four formats.',
    tags: ['inference'],
    markdown: `# Chat

\`POST /v1/chat/completions\` takes a \`model\` and \`messages\` and answers in the chat-completions format.

\`\`\`sh
curl {base_url}v1/chat/completions -H 'Content-Type: application/json' \\
  -d '{"model": "demo", "messages": [{"role": "user", "content": "Hello"}]}'
\`\`\`

With \`"stream": true\` the reply is a stream of server-sent events that ends with \`data: [DONE]\`; \`"stream_options": {"include_usage": true}\` adds the usage as the last event.

The same conversation in other formats:

\`\`\`sh
curl {base_url}v1/messages -H 'Content-Type: application/json' \\
  -d '{"model": "demo", "max_tokens": 64, "messages": [{"role": "user", "content": "Hello"}]}'
\`\`\`

\`\`\`sh
curl {base_url}v1/responses -H 'Content-Type: application/json' \\
  -d '{"model": "demo", "input": "Hello"}'
\`\`\`

\`\`\`sh
curl {base_url}api/chat -H 'Content-Type: application/json' \\
  -d '{"model": "demo", "stream": false, "messages": [{"role": "user", "content": "Hello"}]}'
\`\`\`

Errors: 400 names the field at fault, 404 \`model_not_found\`, 429 with \`Retry-After\` when the server or the model is at capacity, 503 with \`Retry-After\` while a model loads or rests after a failed load. A failure after the first event arrives in the stream.
`,
  },
  {
    name: 'embeddings-and-ranking',
    description: 'Turn texts into vectors, order documents, count tokens, score continuations.',
    tags: ['inference'],
    markdown: `# Embeddings, ranking, tokens, scores

\`\`\`sh
curl {base_url}v1/embeddings -H 'Content-Type: application/json' \\
  -d '{"model": "demo", "input": ["a cat", "a dog"]}'
\`\`\`

\`\`\`sh
curl {base_url}v1/rerank -H 'Content-Type: application/json' \\
  -d '{"model": "demo", "query": "pets", "documents": ["a cat", "a ship"], "top_n": 1}'
\`\`\`

\`\`\`sh
curl {base_url}v1/tokenize -H 'Content-Type: application/json' -d '{"model": "demo", "content": "a cat"}'
\`\`\`

\`POST /v1/detokenize\` turns tokens into text. \`POST /api/score\` (admin) gives the likelihood of \`candidates\` after a \`prompt\`.
`,
  },
  {
    name: 'audio',
    description: 'Write down recordings, speak texts, make sounds, find speech, tell speakers apart.',
    tags: ['audio'],
    markdown: `# Audio

\`\`\`
curl {base_url}v1/audio/transcriptions -F file=@talk.mp3 -F model=whisper -F response_format=srt
\`\`\`

\`response_format\` is json, text, srt, vtt, verbose_json, diarized_json or lrc. \`stream=true\` sends the text as it is heard; a model that cannot answers 501. \`POST /v1/audio/translations\` writes English. \`POST /v1/audio/diarization\` and \`POST /v1/audio/classification\` take the same form, \`POST /v1/audio/vad\` takes samples.

\`\`\`sh
curl {base_url}v1/audio/speech -H 'Content-Type: application/json' -o hello.mp3 \\
  -d '{"model": "demo", "input": "Hello there", "response_format": "mp3"}'
\`\`\`

Without \`response_format\` the reply is the file of the backend. \`stream: true\` sends the sound while it is made. \`POST /v1/text-to-speech/:voice_id\` and \`POST /v1/sound-generation\` take the bodies of the audio vendor.
`,
  },
  {
    name: 'moderation',
    description: 'Ask a model whether texts are harmful.',
    tags: ['inference'],
    markdown: `# Moderation

\`\`\`sh
curl {base_url}v1/moderations -H 'Content-Type: application/json' \\
  -d '{"model": "demo", "input": "Hello"}'
\`\`\`

The reply has a result for each input: \`flagged\`, and each category with its score. The judgement is the model's.
`,
  },
  {
    name: 'models',
    description: 'List the models that requests can name.',
    tags: ['models'],
    markdown: `# Models

\`\`\`sh
curl {base_url}v1/models
\`\`\`

\`?filter=\` takes a regular expression over the names. \`GET /v1/models/{id}\` shows one. \`GET /v1/models/capabilities\` takes the same filter and adds what each model does, takes and gives.

A model is a YAML file in the models folder, or a GGUF file dropped there. An admin reads the folder again at once:

\`\`\`sh
curl -X POST {base_url}models/reload
\`\`\`
`,
  },
  ...ADMIN_INSTRUCTIONS,
]
