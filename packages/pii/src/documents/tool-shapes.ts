import { ANY_CONTENT, Shape } from './shape.ts'
import { OPTION, TEXT, WORD } from './text-shapes.ts'

// JSON Schema, which describes tools and response formats.

export const SCHEMA = new Shape({ strings: 'option', hasPublicKeys: true, allowsTwins: true })
const SCHEMA_NAMES = new Shape({ others: SCHEMA })
SCHEMA.name({
  type: WORD,
  properties: SCHEMA_NAMES,
  patternProperties: SCHEMA_NAMES,
  $defs: SCHEMA_NAMES,
  definitions: SCHEMA_NAMES,
  default: TEXT,
  const: TEXT,
  enum: TEXT,
  examples: TEXT,
  example: TEXT,
})

// Tools and options.

const TOOL_DEFINITION = { type: WORD, name: TEXT, description: TEXT, parameters: SCHEMA, input_schema: SCHEMA }
const TOOL_MEMBERS = {
  ...TOOL_DEFINITION,
  function: new Shape({ others: OPTION, hasPublicKeys: true }).name(TOOL_DEFINITION),
  custom: OPTION,
  cache_control: OPTION,
}
export const TOOLS = new Shape({ others: OPTION, hasPublicKeys: true }).name(TOOL_MEMBERS)

/** What signs in at a server that the request names: no model reads it, and a mask would end the sign-in. */
const CREDENTIAL = new Shape({ strings: 'skip', others: ANY_CONTENT, items: ANY_CONTENT })
const CREDENTIAL_HEADERS = new Shape({ others: CREDENTIAL, items: ANY_CONTENT })
const SERVER_TOOL = new Shape({ others: OPTION, hasPublicKeys: true }).name({
  ...TOOL_DEFINITION,
  authorization: CREDENTIAL,
  headers: CREDENTIAL_HEADERS,
})
/** Tools, of which some are those of a server that the entry names. */
export const TOOLS_AND_SERVERS = new Shape({
  others: OPTION,
  hasPublicKeys: true,
  choices: [{ member: 'type', mustAgree: true, findShape: (type) => (type === 'mcp' ? SERVER_TOOL : undefined) }],
}).name(TOOL_MEMBERS)
export const NAMED_SERVERS = new Shape({ others: OPTION, hasPublicKeys: true }).name({
  type: WORD,
  name: TEXT,
  authorization_token: CREDENTIAL,
})

/** An object, a word, or the object as JSON text. */
export const TOOL_CHOICE = new Shape({ strings: 'json', others: OPTION, hasPublicKeys: true }).name({ type: WORD })
const JSON_SCHEMA = new Shape({ others: OPTION, hasPublicKeys: true }).name({
  type: WORD,
  name: TEXT,
  description: TEXT,
  schema: SCHEMA,
})
export const RESPONSE_FORMAT = new Shape({ strings: 'option', others: OPTION, hasPublicKeys: true }).name({
  type: WORD,
  name: TEXT,
  description: TEXT,
  schema: SCHEMA,
  json_schema: JSON_SCHEMA,
})
