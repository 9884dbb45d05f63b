import type { ModelOptions, PredictOptions } from '@svc/backend-client/proto'
import { toPrompt } from './prediction.ts'
import type { MockBehaviour, MockToolCall } from './script.ts'

/** Facts that a magic prompt may repeat. */
interface MagicCall {
  readonly request: PredictOptions
  readonly loaded: ModelOptions | undefined
  readonly isStream: boolean
}

type Magic = (call: MagicCall) => MockBehaviour

const FAILURE = { status: 'UNKNOWN', message: 'mock backend error: simulated failure' } as const

/** Words in a prompt that decide the answer, as in the mock of LocalAI. The first match in the list wins. */
const MAGIC: ReadonlyArray<readonly [string, Magic]> = [
  [
    'MOCK_ERROR_MIDSTREAM',
    ({ isStream }) => ({
      text: 'Partial resp',
      split: 'characters',
      failure: isStream ? { ...FAILURE, afterPieces: 'Partial resp'.length } : FAILURE,
    }),
  ],
  ['MOCK_ERROR', () => ({ failure: FAILURE })],
  [
    'ECHO_LOAD_PARAMS',
    ({ loaded }) => ({
      text: JSON.stringify({
        model: loaded?.Model ?? '',
        model_file: loaded?.ModelFile ?? '',
        draft_model: loaded?.DraftModel ?? '',
        mmproj: loaded?.MMProj ?? '',
      }),
    }),
  ],
  ['ECHO_PREDICT_METADATA', ({ request }) => ({ text: JSON.stringify(request.Metadata) })],
  ['ECHO_SERVED_MODEL', ({ loaded }) => ({ text: `SERVED_MODEL=${loaded?.Model ?? ''}` })],
  [
    'AUTOPARSER_TOOL_CALL',
    ({ request }) => ({
      reasoning: 'I need to search for information.',
      toolCalls: [
        { id: 'call_mock_123', name: firstTool(request) ?? 'search_collections', arguments: { query: 'localai' } },
      ],
      via: 'deltas',
    }),
  ],
  [
    'AUTOPARSER_THINKING_CONTENT',
    () => ({
      reasoning: 'The user is asking a simple question. I should answer directly.',
      text: 'I am a helpful assistant designed to assist you with a wide range of tasks.',
      via: 'both',
    }),
  ],
  [
    'AUTOPARSER_CONTENT',
    () => ({ reasoning: 'Let me compose a response.', text: 'LocalAI is an open-source AI platform.', via: 'deltas' }),
  ],
  ['MULTI_TOOL_CALL', () => ({ toolCalls: [weather('Rome'), weather('Paris')] })],
  ['SINGLE_TOOL_CALL', () => ({ toolCalls: [weather('San Francisco')] })],
  ['MOCK_LEAK_EMAIL', () => ({ text: 'Sure — here it is: alice@example.com is the address.', split: 'characters' })],
]

/**
 * The behaviour for the prompt of a prediction; without a magic word a tool call where tools are offered, else a
 * sentence.
 */
export function findMagicBehaviour(call: MagicCall): MockBehaviour {
  const prompt = toPrompt(call.request)
  const magic = MAGIC.find(([word]) => prompt.includes(word))
  if (magic) return magic[1](call)
  const tool = firstTool(call.request)
  if (tool === undefined) return { text: 'This is a mocked response.' }
  if (hasToolResults(call.request))
    return { text: 'Based on the tool results, the weather in San Francisco is sunny, 72°F.' }
  return { toolCalls: [{ name: tool, arguments: { location: 'San Francisco' } }] }
}

function weather(location: string): MockToolCall {
  return { name: 'get_weather', arguments: { location } }
}

function hasToolResults({ Messages, Prompt }: PredictOptions): boolean {
  return Messages.some(({ role }) => role === 'tool') || Prompt.includes('Weather in')
}

function firstTool({ Tools }: PredictOptions): string | undefined {
  return /"name"\s*:\s*"([^"]+)"/.exec(Tools)?.[1]
}
