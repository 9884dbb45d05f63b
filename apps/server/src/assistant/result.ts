import type { ToolContent, ToolResult } from '../inference/tools/server-tools.ts'
import { maskSecrets } from './mask-secrets.ts'
import type { ToolAnswer } from './tool.ts'

/** Longest text of a result, UTF-16 code units. */
export const MAX_RESULT_LENGTH = 60_000

/** Makes the result of an answer: without secrets, and no longer than a model can read. */
export function toResult(answer: ToolAnswer): ToolResult {
  if ('content' in answer) return { content: answer.content.map(cutContent), isError: false }
  const text = 'text' in answer ? answer.text : JSON.stringify(answer.value)
  return { content: [{ type: 'text', text: cut(maskSecrets(text)) }], isError: false }
}

/** Makes the result of a failure, whose message the model reads. */
export function toFailure(message: string): ToolResult {
  return { content: [{ type: 'text', text: cut(maskSecrets(message)) }], isError: true }
}

function cutContent(content: ToolContent): ToolContent {
  return content.type === 'text' ? { type: 'text', text: cut(maskSecrets(content.text)) } : content
}

function cut(text: string): string {
  if (text.length <= MAX_RESULT_LENGTH) return text
  // A character of two units stays whole or is left out.
  const kept = text.slice(0, MAX_RESULT_LENGTH).replace(/[\ud800-\udbff]$/, '')
  return `${kept}\n[cut: ${text.length - kept.length} more characters; ask for less, such as a smaller page or a filter]`
}
