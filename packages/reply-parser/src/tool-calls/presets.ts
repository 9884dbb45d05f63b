import { PLAIN_FORM, PLAIN_VALUES, type TagForm, type Wrapper } from './tag-form.ts'

/** JSON calls between markers; an empty end means no end marker. */
export const JSON_WRAPPERS: readonly Wrapper[] = [
  // hermes and xiaomi-mimo
  { start: '<tool_call>', end: '</tool_call>' },
  // apriel-1.5
  { start: '<tool_calls>', end: '</tool_calls>' },
  { start: '[TOOL_CALLS]', end: '' },
  { start: '<|python_tag|>', end: '' },
]

/** functionary, llama3.1, qwen3-coder and qwen3.5: one tag, with JSON or with tagged values in it. */
const FUNCTION_TAG: TagForm = {
  ...PLAIN_FORM,
  scope: { start: '<tool_call>', end: '</tool_call>' },
  toolStart: '<function=',
  nameEnd: '>',
  values: { ...PLAIN_VALUES, keyStart: '<parameter=', keyEnd: '>', valueEnds: ['</parameter>'] },
  toolEnds: ['</function>'],
}

/** glm-4.5 */
const KEY_VALUE_TAGS: TagForm = {
  ...PLAIN_FORM,
  toolStart: '<tool_call>',
  nameEnd: '',
  values: {
    ...PLAIN_VALUES,
    keyStart: '<arg_key>',
    keyEnd: '</arg_key>',
    valueStart: '<arg_value>',
    valueEnds: ['</arg_value>'],
  },
  toolEnds: ['</tool_call>'],
}

/** minimax-m2 */
const INVOKE_TAG: TagForm = {
  ...PLAIN_FORM,
  scope: { start: '<minimax:tool_call>', end: '</minimax:tool_call>' },
  toolStart: '<invoke name="',
  nameEnd: '">',
  values: { ...PLAIN_VALUES, keyStart: '<parameter name="', keyEnd: '">', valueEnds: ['</parameter>'] },
  toolEnds: ['</invoke>'],
}

/** kimi-k2: the name is `functions.<name>:<index>`. */
const SECTION_TOKENS: TagForm = {
  ...PLAIN_FORM,
  scope: { start: '<|tool_calls_section_begin|>', end: '<|tool_calls_section_end|>' },
  toolStart: '<|tool_call_begin|>',
  nameEnd: '<|tool_call_argument_begin|>',
  cleanName: (name) => name.replace(/^functions\./, '').replace(/:\d{1,9}$/, ''),
  toolEnds: ['<|tool_call_end|>'],
}

/** The forms that are known without configuration, for every preset that a model file may name. */
export const TAG_FORMS: readonly TagForm[] = [FUNCTION_TAG, KEY_VALUE_TAGS, INVOKE_TAG, SECTION_TOKENS]
