/** Stands for a secret. */
export const MASK = '***'

/** Names whose values are secrets. `max_tokens`, `api_key_env` and the like are none. */
const NAME = String.raw`(?:[\w-]*[_-])?(?:api[_-]?key|token|secret|password|passwd|authorization|bearer)`

/** Names that end like one and hold markers of a tokenizer. */
const MARKER = /^(?:bos|eos|eot|pad|unk|sep|cls|mask|stop|start|end)[_-]token$/i

/** Name, separator and value in JSON, escaped JSON, YAML, headers and assignments. */
const PAIR = new RegExp(
  String.raw`(?<![\w-])(${NAME})(\\?["']?\s*[:=]\s*)(\\?["']?)((?:Bearer |Basic )?[^\s"'\\,}\]]{4,})`,
  'gi',
)

/** Credentials that tell by themselves what they are. */
const BEARER = /\b(Bearer|Basic) [\w.~+/-]{8,}=*/g

/** An argument of a program, with its value as the next one: in lists of JSON and YAML. */
const FLAG = new RegExp(
  String.raw`(?<![\w-])(--?${NAME}\\?["']?(?:\s*,\s*|[ \t]*(?:\\n|\n)[ \t]*-[ \t]+)\\?["']?)([^\s"'\\,}\]]{4,})`,
  'gi',
)

/** Keys of well-known services. */
const KEYS = /\b(?:sk-|gh[opsu]_|github_pat_|glpat-|hf_|xox[abprs]-)[\w-]{16,}/g

/** Values that are no secrets. */
const PLAIN = /^(?:true|false|null|undefined|\d+(?:\.\d+)?|\*+|<.*)$/i

/** Replaces values of credentials in a text, whatever its form. */
export function maskSecrets(text: string): string {
  return text
    .replace(PAIR, (whole, name: string, between: string, quote: string, value: string) =>
      MARKER.test(name) || PLAIN.test(value) ? whole : `${name}${between}${quote}${MASK}`,
    )
    .replace(FLAG, `$1${MASK}`)
    .replace(BEARER, `$1 ${MASK}`)
    .replace(KEYS, MASK)
}
