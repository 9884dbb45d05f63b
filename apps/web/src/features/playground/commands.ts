/** How a call is written for a shell. */
interface CommandOptions {
  /** Whether the server asks for a key. */
  readonly needsKey: boolean
  /** The file that gets the reply. @default none */
  readonly output?: string | undefined
}

const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

function begin(url: string, { needsKey, output }: CommandOptions): string[] {
  return [
    `curl ${url}${output === undefined ? '' : ` -o ${output}`}`,
    ...(needsKey ? ['-H "Authorization: Bearer $KEY"'] : []),
  ]
}

/** A call with JSON for a shell. @param options whether the server asks for a key, or all options */
export function writeCurl(url: string, body: object, options: boolean | CommandOptions): string {
  return [
    ...begin(url, typeof options === 'boolean' ? { needsKey: options } : options),
    `-H 'Content-Type: application/json'`,
    `-d ${quote(JSON.stringify(body, null, 2))}`,
  ].join(' \\\n  ')
}

/** A call with a form for a shell. @param fields names with their texts; a text that begins with `@` names a file */
export function writeFormCurl(
  url: string,
  fields: readonly (readonly [name: string, text: string])[],
  needsKey: boolean,
): string {
  const toField = (text: string) => (/^\w+=@?[\w.:/-]+$/.test(text) ? text : quote(text))
  return [...begin(url, { needsKey }), ...fields.map((field) => `-F ${toField(field.join('='))}`)].join(' \\\n  ')
}
