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

\`POST /v1/detokenize\` turns tokens into text. \`POST /api/score\` (admin) gives the likelihood of \`candidates\` after a \`prompt\`. \`POST /v1/slots/save\` (admin) keeps the evaluated prompt of a \`slot\` of a model with \`slot_save_path\`, and \`POST /v1/slots/restore\` puts it back by its \`id\`.
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

Without \`response_format\` the reply is the file of the backend. \`stream: true\` sends the sound while it is made. \`GET /v1/voices?model=voice\` lists the voices of a model. \`POST /v1/text-to-speech/:voice_id\` and \`POST /v1/sound-generation\` take the bodies of the audio vendor.
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
    name: 'images-and-video',
    description: 'Make images and films from texts, edit and enlarge images, find objects in them.',
    tags: ['inference', 'generated'],
    markdown: `# Images and video

\`\`\`sh
curl {base_url}v1/images/generations -H 'Content-Type: application/json' \\
  -d '{"model": "demo", "prompt": "a red square|text, frames", "size": "512x512", "n": 1}'
\`\`\`

The part of the prompt after the first \`|\` says what the image must not show. Each image of the reply has a \`url\` on this server, which only the caller and admins may fetch with their credentials. With \`"response_format": "b64_json"\` the reply has the bytes, and nothing is kept.

\`POST /v1/images/edits\` takes a form with the files \`image\` and \`mask\` and a \`prompt\`. \`POST /v1/images/upscale\` takes a form with the file \`image\` and \`scale\`, 2 or 4.

\`\`\`sh
curl {base_url}v1/video/generations -H 'Content-Type: application/json' \\
  -d '{"model": "demo", "prompt": "waves at a beach", "seconds": "2", "fps": 8}'
\`\`\`

Images and sound in a body are an http or https URL, a data URL, or base64.

\`\`\`sh
curl {base_url}v1/detection -H 'Content-Type: application/json' \\
  -d '{"model": "demo", "image": "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg=="}'
\`\`\`

The reply lists each object with its box, \`class_name\` and \`confidence\`, and a \`mask\` where the model draws one.

Files that models made are at \`/generated-images/{name}\`, \`/generated-videos/{name}\`, \`/generated-audio/{name}\` and \`/generated-3d/{name}\`. \`Range\` gives a part of one. They are removed after a time that the server sets.
`,
  },
  {
    name: 'files-and-vector-stores',
    description: 'Upload documents, and find the parts of them that answer a question.',
    tags: ['files'],
    markdown: `# Files and vector stores

\`POST /v1/files\` takes a form with \`file\` and \`purpose\`, such as \`assistants\`, and answers with the \`id\` of the file.

\`\`\`sh
curl {base_url}v1/files
\`\`\`

A vector store cuts files into chunks, embeds them and finds them:

\`\`\`sh
curl {base_url}v1/vector_stores -H 'Content-Type: application/json' -d '{"name": "notes"}'
\`\`\`

\`POST /v1/vector_stores/{vector_store_id}/files\` takes a \`file_id\` and \`attributes\`; \`POST /v1/vector_stores/{vector_store_id}/file_batches\` takes \`file_ids\`. A file is indexed in the background: \`GET /v1/vector_stores/{vector_store_id}/files/{file_id}\` shows its \`status\`, and \`last_error\` once it has failed.

\`POST /v1/vector_stores/{vector_store_id}/search\` takes a \`query\`, \`max_num_results\` and \`filters\` over the attributes, and answers with the best chunks first, with their \`score\`.

Plain text, Markdown, HTML, JSON, CSV, source code, PDF, office documents, EPUB and RTF can be searched; another type is a 415 that names it. Lists have pages: \`limit\`, \`after\`, \`before\`, \`order\`. Files and stores of other users are a 404. 507 says that there is no room.
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
