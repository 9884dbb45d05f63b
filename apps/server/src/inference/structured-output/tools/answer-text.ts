import { isObject, member } from '../schema/json.ts'

/**
 * The text of an answer that a model gave as a call of the pseudo-tool; undefined when the call is of a real tool.
 * A call without message is an empty answer.
 */
export function answerText(
  call: { readonly name: string; readonly arguments: string },
  answerTool: string | undefined,
): string | undefined {
  if (answerTool === undefined || call.name !== answerTool) return undefined
  const values = parse(call.arguments)
  const message = isObject(values) ? member(values, 'message') : undefined
  if (typeof message === 'string') return message
  return message === undefined || message === null ? '' : JSON.stringify(message)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
