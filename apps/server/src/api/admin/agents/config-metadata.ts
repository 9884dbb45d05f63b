/** The fields of an agent for forms. */
export const AGENT_FIELDS = [
  { name: 'name', label: 'Name', type: 'text', helpText: 'Also the name of a model on every text route.' },
  { name: 'description', label: 'Description', type: 'textarea', helpText: 'What the agent is for.' },
  {
    name: 'model',
    label: 'Model',
    type: 'text',
    helpText: 'The model that it asks; the default of the server without one.',
  },
  {
    name: 'system_prompt',
    label: 'System prompt',
    type: 'textarea',
    helpText: 'The first message of each conversation.',
  },
  { name: 'vector_stores', label: 'Vector stores', type: 'list', helpText: 'Ids of stores in which it may search.' },
  { name: 'max_iterations', label: 'Turns', type: 'number', helpText: 'Most turns with calls of tools.' },
  { name: 'parameters.temperature', label: 'Temperature', type: 'number', helpText: 'As in a chat.' },
  { name: 'parameters.top_p', label: 'Top p', type: 'number', helpText: 'As in a chat.' },
  { name: 'parameters.max_tokens', label: 'Longest answer', type: 'number', helpText: 'Tokens.' },
] as const

/** The fields of a server of tools. */
export const SERVER_FIELDS = [
  { name: 'name', label: 'Name', type: 'text', helpText: 'Stands before the names of its tools.' },
  { name: 'url', label: 'URL', type: 'text', helpText: 'Address of its streamable HTTP endpoint.' },
  { name: 'token', label: 'Token', type: 'password', helpText: 'Sent as Authorization: Bearer.' },
] as const
