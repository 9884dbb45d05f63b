import { describe, expect, it } from 'vitest'
import { createReplyLanes, type LaneOptions } from './reply-lanes.ts'

const PLAIN: LaneOptions = { promptEnd: '', thinks: true, tools: null, markers: undefined }
const TOOLS = [{ type: 'function', function: { name: 'ping' } }]

function feed(pieces: readonly string[], options: Partial<LaneOptions> = {}) {
  const lanes = createReplyLanes({ ...PLAIN, ...options })
  return [...pieces.flatMap((piece) => lanes.push(piece)), ...lanes.end()]
}

describe('createReplyLanes', () => {
  it('tells thoughts from the answer, also where they begin in the prompt', () => {
    expect(feed(['<thi', 'nk>Hm.</think>Yes.'])).toEqual([{ reasoningContent: 'Hm.' }, { content: 'Yes.' }])
    expect(feed(['Hm.</think>Yes.'], { promptEnd: '<|assistant|><think>\n' })).toEqual([
      { reasoningContent: 'Hm.' },
      { content: 'Yes.' },
    ])
  })

  it('leaves tags alone where the model was told not to think', () => {
    const [delta] = feed(['<think>Hm.</think>'], { thinks: false, tools: TOOLS })
    expect(delta).toEqual({ content: '<think>Hm.</think>' })
  })

  it('tells calls from the answer, each with one id', () => {
    const call = '<tool_call>{"name": "ping", "arguments": {"x": 1}}</tool_call>'
    expect(feed([`Well. ${call.slice(0, 20)}`, call.slice(20)], { tools: TOOLS })).toEqual([
      { content: 'Well.' },
      { toolCalls: [{ index: 0, id: expect.stringMatching(/^call_[0-9a-f]{24}$/), name: 'ping' }] },
      { toolCalls: [{ index: 0, arguments: '{"x": 1}' }] },
    ])
  })
})
