import {
  CARRIAGE_RETURN,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  LINE_FEED,
  LOWER_F,
  LOWER_N,
  LOWER_T,
  MINUS,
  NINE,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  SPACE,
  TAB,
  ZERO,
} from './ascii.ts'

// States: the token that may come next.
export const VALUE = 0
export const FIRST_ITEM = 1
export const FIRST_KEY = 2
export const KEY = 3
export const AFTER_KEY = 4
export const AFTER_ITEM = 5
export const AFTER_MEMBER = 6
export const NOTHING = 7
export const IN_STRING = 8
export const IN_NUMBER = 9

/** The expectation that an error names, by state. */
export const EXPECTED: readonly string[] = [
  'expected a value',
  "expected a value or ']'",
  "expected a string key or '}'",
  'expected a string key',
  "expected ':'",
  "expected ',' or ']'",
  "expected ',' or '}'",
  'expected the end of the document',
  'unterminated string',
]

// Actions on a byte.
export const REFUSE = 0
export const SKIP = 1
export const READ_STRING = 2
export const READ_NUMBER = 3
export const READ_LITERAL = 4
export const OPEN_OBJECT = 5
export const OPEN_ARRAY = 6
export const CLOSE = 7
export const READ_KEY = 8
export const PASS_COLON = 9
export const PASS_ITEM_COMMA = 10
export const PASS_MEMBER_COMMA = 11

/** States that expect a byte of the grammar: all before {@link IN_STRING}. */
const STATES = IN_STRING

/** The action for a byte in a state, at `state << 8 | byte`. */
export const ACTIONS = buildActions()

function buildActions(): Uint8Array {
  const actions = new Uint8Array(STATES << 8)
  const allow = (state: number, action: number, ...bytes: number[]): void => {
    for (const byte of bytes) actions[(state << 8) | byte] = action
  }
  for (let state = 0; state < STATES; state++) allow(state, SKIP, SPACE, TAB, LINE_FEED, CARRIAGE_RETURN)
  for (const state of [VALUE, FIRST_ITEM]) {
    allow(state, READ_STRING, QUOTE)
    allow(state, READ_LITERAL, LOWER_T, LOWER_F, LOWER_N)
    allow(state, OPEN_OBJECT, OPEN_BRACE)
    allow(state, OPEN_ARRAY, OPEN_BRACKET)
    allow(state, READ_NUMBER, MINUS)
    for (let digit = ZERO; digit <= NINE; digit++) allow(state, READ_NUMBER, digit)
  }
  allow(FIRST_ITEM, CLOSE, CLOSE_BRACKET)
  allow(FIRST_KEY, CLOSE, CLOSE_BRACE)
  allow(FIRST_KEY, READ_KEY, QUOTE)
  allow(KEY, READ_KEY, QUOTE)
  allow(AFTER_KEY, PASS_COLON, COLON)
  allow(AFTER_ITEM, PASS_ITEM_COMMA, COMMA)
  allow(AFTER_ITEM, CLOSE, CLOSE_BRACKET)
  allow(AFTER_MEMBER, PASS_MEMBER_COMMA, COMMA)
  allow(AFTER_MEMBER, CLOSE, CLOSE_BRACE)
  return actions
}
