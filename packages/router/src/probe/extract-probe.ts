import type { JsonNode } from '@svc/json'
import { createProbe, type Probe, type ProbeFormat } from './probe.ts'

/** Parts of a message that are text. */
const TEXT_PARTS: ReadonlySet<string> = new Set(['text', 'input_text', 'output_text'])

/**
 * The probe of a request, read from the token tree of its body. Texts of all roles count, texts of tools too where they
 * are messages of their own; pictures, tokens and values of a wrong type do not.
 *
 * | format | texts |
 * |---|---|
 * | `chat`, `ollama-chat` | `messages` |
 * | `messages` | `messages`, without `system` and results of tools |
 * | `responses` | `instructions`, `input`: messages and outputs of calls |
 * | `completions` | `prompt` |
 * | `edits` | `input`, then `instruction` |
 * | `ollama-generate` | `prompt` |
 *
 * @param root the outermost value of the body, as `parseJson` gives it
 * @returns undefined where the body has not the form of its format
 */
export function extractProbe(root: JsonNode, format: ProbeFormat): Probe | undefined {
  const texts = root?.kind === 'object' ? readTexts(root, format) : undefined
  return texts === undefined ? undefined : createProbe(texts)
}

function readTexts(root: JsonNode, format: ProbeFormat): string[] | undefined {
  switch (format) {
    case 'chat':
    case 'messages':
    case 'ollama-chat':
      return readMessages(root.get('messages'))
    case 'responses':
      return readResponses(root)
    case 'completions':
    case 'ollama-generate':
      return readPrompt(root.get('prompt'))
    case 'edits':
      return readEdit(root)
  }
}

function readMessages(messages: JsonNode | undefined): string[] | undefined {
  if (messages?.kind !== 'array') return undefined
  return [...messages.items()].map((message) => readContent(message.get('content')))
}

/** A text, or the parts of a message that are text, a line each. */
function readContent(content: JsonNode | undefined): string {
  if (content?.kind === 'string') return content.text()
  if (content?.kind !== 'array') return ''
  const texts: string[] = []
  for (const part of content.items()) {
    const [type, text] = [part.get('type'), part.get('text')]
    if (type?.kind === 'string' && TEXT_PARTS.has(type.text()) && text?.kind === 'string') texts.push(text.text())
  }
  return texts.join('\n')
}

function readResponses(root: JsonNode): string[] | undefined {
  const input = root.get('input')
  const instructions = readContent(root.get('instructions'))
  if (input?.kind === 'string') return [instructions, input.text()]
  if (input?.kind !== 'array') return undefined
  return [instructions, ...[...input.items()].map((item) => readContent(item.get('content') ?? item.get('output')))]
}

function readPrompt(prompt: JsonNode | undefined): string[] | undefined {
  if (prompt?.kind === 'string') return [prompt.text()]
  if (prompt?.kind !== 'array') return undefined
  return [...prompt.items()].map((item) => readContent(item))
}

function readEdit(root: JsonNode): string[] | undefined {
  const instruction = root.get('instruction')
  if (instruction?.kind !== 'string') return undefined
  return [readContent(root.get('input')), instruction.text()]
}
