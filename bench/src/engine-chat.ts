import { Agent, request } from 'node:http'
import type { Generation } from './engine-direct.ts'

/** A streamed chat as its client sees it. */
export interface ChatFigures extends Generation {
  /** From the request to the first piece of text. */
  readonly firstTextMs: number
}

const agent = new Agent({ keepAlive: true })
const FIRST_TEXT = /"content":"[^"]/

/** Runs one streamed chat with this many tokens to its end. */
export function chat(url: string, prompt: string, tokens: number): Promise<ChatFigures> {
  const body = JSON.stringify({
    model: 'm',
    messages: [{ role: 'user', content: prompt }],
    max_tokens: tokens,
    temperature: 0,
    stream: true,
    stream_options: { include_usage: true },
  })
  return new Promise((resolve, reject) => {
    const begun = performance.now()
    const outgoing = request(`${url}/v1/chat/completions`, { method: 'POST', agent }, (incoming) => {
      let firstTextMs = 0
      let text = ''
      incoming.on('data', (chunk: Buffer) => {
        text += chunk.toString('latin1')
        if (firstTextMs === 0 && FIRST_TEXT.test(text)) firstTextMs = performance.now() - begun
      })
      incoming.on('error', reject)
      incoming.on('end', () => {
        const ms = performance.now() - begun
        const usage = readUsage(text)
        if (usage?.completion_tokens !== tokens) reject(new Error(`not ${tokens} tokens: ${text.slice(-800)}`))
        else resolve({ promptTokens: usage.prompt_tokens, tokens, ms, firstTextMs })
      })
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

interface Usage {
  readonly prompt_tokens: number
  readonly completion_tokens: number
}

/** Reads the usage chunk, the last one before the end of the stream. */
function readUsage(text: string): Usage | undefined {
  const frame = text.split('\n\n').findLast((candidate) => candidate.includes('"usage":{'))
  return frame === undefined ? undefined : (JSON.parse(frame.slice('data: '.length)) as { usage: Usage }).usage
}
