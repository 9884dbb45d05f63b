import type { Value } from './value.ts'

/** How sure the words around a value are that it is a password. */
export type Confidence = 'named' | 'told' | 'mentioned'

const LEAST = 3
const LEAST_LETTERS = 4
const LONGEST = 200

/** Words that documents and programs write in place of a password. */
const STAND_INS =
  /^(?:my|the|a|new|old|some|your|user|db|test|super|top|secret|admin|root|strong|plain|current|login|master|safe)?[-_]?(?:pass(?:word|wd|phrase|code)?|pwd|pw|pswd|secret|token|key)s?[-_]?\d{0,3}$/i
/** Separators of words, and capitals that begin one. */
const WORD_EDGES = /[-_. ]+|(?<=[a-z])(?=[A-Z])/
const WORDS = new Set(
  `pass password passwd passphrase passcode pwd pw key my a old good bad user's changeme change-me change_me test foo bar baz qux foobar postgres root admin guest user username mysql redis none null nil undefined true false yes no string str string? text number bool boolean object any unknown never void char varchar bytes byte int integer array list dict map optional required missing empty blank hidden masked plain plaintext cleartext encrypted hashed hash value input field label form type name email mail login logout reset forgot forgotten change update create delete new old confirm confirmation current repeat retype again enter show hide toggle save submit next back here there this self that these those what which when where how your yours mine the and for with from into must should shall will would can could may might has have had does did are was were been being not only also just very too more less than then else auto default custom config configuration settings options option env environment variable var const let function return await async static public private protected internal final readonly class interface struct enum import export require include using invalid valid wrong incorrect correct expired weak strong short long stored sent set unset changed updated same different similar needed optional. ok error failed failure success warning info debug todo fixme tbd n/a na example sample dummy fake mock stub placeholder redacted removed masked secret secrets token tokens credential credentials auth oauth basic bearer digest ldap kerberos saml sso mfa totp otp sha md5 bcrypt scrypt argon argon2 base64 utf-8 utf8 ascii hex json yaml xml html http https ssl tls ssh ftp file path url uri stdin prompt interactive keychain keyring vault expires policy length characters letters digits protected protection manager generator hashing field. fields given broken written taken chosen shown known kept lost stolen`.split(
    ' ',
  ),
)
/** Words of other languages: names of passwords, and what sentences say of them. */
const FOREIGN =
  /passwor|kennwor|passwor|passe$|contrase|clave|parola|senha|wachtwoord|hasł|haslo|парол|密码|密碼|パスワ|비밀번호|şifre|lösenord|kodeord|adgangskode|salasana|heslo|jelsz/i
const ADJECTIVES =
  /^(?:falsch|ungültig|erforderlich|abgelaufen|richtig|korrekt|leer|sicher|unsicher|nicht|kein|schwach|geheim|vergessen|geändert|gesetzt|zu|ein|eine|der|die|das|incorrecte?|requis|invalide|obligatoire|expirée?|trop|fauss?e?|pas|oubliée?|vide|correcte?|le|la|un|une|incorrect[ao]|obligatori[ao]|requerid[ao]|inválid[ao]|demasiado|caducad[ao]|vacía|no|el|muy|errat[ao]|sbagliat[ao]|scadut[ao]|non|troppo|corrett[ao]|vuot[ao]|incorret[ao]|obrigatóri[ao]|não|muito|fraca|vazia|onjuist|verplicht|ongeldig|verlopen|te|niet|een|zwak|leeg|nieprawidłowe|wymagane|puste|jest|nie|неверн\S*|обязател\S*|слишком|не|пуст\S*|правильн\S*|错误|不正确|不能为空|必填|无效|过期|正确|什么|多少|必須|無効|間違\S*|正しく\S*)$/i
const PLACEHOLDER =
  /example|placeholder|redacted|x{4}|X{4}|\*{3}|\.{3}|…|•|●|<[^>]*>|^your[-_]|your[-_ ]?(?:key|token|secret|pass|api|new)|^(.)\1+$/i
/** Marks of variables, formats and commands: the password is elsewhere. */
const VARIABLE =
  /\$\{|\$\(|#\{|\{\{|\{%|<%|%\(|^\$\{?(?:[A-Z_][A-Z0-9_]*|[a-z_]+(?:[A-Z][a-z]+)*\d{0,2})\}?$|^\$[A-Za-z]\w*(?:->|\[|\.[a-z]+$|::)|^\{.*\}?$|^\[|^%[a-z]$|^%[A-Z_]+%$|^@[A-Za-z_.]+$|^:[a-z_]+$|^&[A-Za-z_.]+$|^[A-Za-z_$][\w$]*\[\d*\](?:\.\w+)+$|^\*[A-Za-z_]+$|^![A-Za-z]+$|^\/[^/]*\/[gimsuy]*$|^(?:https?|file|env|vault|op|secret|arn|classpath):|^--|^-$|=>|^\$\w+\$$|^ENC\[|^[\^~]?v?\d+\.\d+\.\d+[\w.+-]*$|^\/[\w./-]+$|^[.~]{1,2}\//
/** Calls, members and elements: code, not a value. */
const CODE =
  /\(|^(?:exports|module|this|self|window|process)\.[A-Za-z_$]|^:[a-z]+:[a-z]+$|\)\W*$|^[A-Za-z_$][A-Za-z_$]*\d{0,2}(?:(?:\??\.|->|::|!\.)[A-Za-z_$][A-Za-z_$]*\d{0,2})+[;,]?$|^[A-Za-z_$][\w$.]*\[|\{\}$|^[A-Z][A-Za-z]+<|^!{1,2}[a-z]\w*[.(]|^[A-Z][A-Z]+_[A-Z_]+$|^[=>|]|===|,\.[a-z]|^(?:[A-Z][a-z]+\d{0,2})+(?:Array|Buffer)$/
/** What is code in a sentence too. */
const CALL = /\(\)|^[a-z_]+\.[a-z_]+$/
/** Methods and forms that programs and documents name beside passwords. */
const METHODS =
  /^(?:sha-?\d+|md\d|bcrypt|base-?(?:32|58|64)|utf-?\d+|aes-?\d*|rsa-?\d*|pbkdf2|argon2\w*|oauth-?2?|v?\d+(?:\.\d+)+|\d+(?:-\d+)?(?:st|nd|rd|th|px|ms|min|h|d|%|-(?:char|bit|byte|digit)\w*)?|[a-z]+(?:ed|based|less)|h[1-6]|\d+[kKmMgG]?[bB]?)$/i

/** Whether a value behind the name of a password is one. */
export function isPassword({ text, isQuoted }: Value, confidence: Confidence): boolean {
  if (text.length < LEAST || text.length > LONGEST || isStandIn(text)) return false
  if (/\s/.test(text)) return false
  if (!isQuoted && (confidence === 'told' ? CALL : CODE).test(text)) return false
  if (/^\d{1,3}$/.test(text)) return false
  const [hasLetter, hasDigit, hasSign] = [/\p{L}/u.test(text), /\p{N}/u.test(text), /[^\p{L}\p{N}]/u.test(text)]
  if (!hasDigit && (!hasSign || /^[\p{L}]+(?:[-_./:'’][\p{L}]+)*$/u.test(text))) return isWordPassword(text, confidence)
  if (confidence !== 'named' && METHODS.test(text))
    return confidence === 'told' && !hasLetter && !hasSign && text.length >= 4
  if (confidence === 'mentioned')
    return hasLetter && hasDigit && text.length >= 6 && !/[(){}=<>|]|^\d+\p{L}+$|\.\w{2,4}$|\//u.test(text)
  return hasLetter || hasDigit || text.length >= 6
}

/** Whether a value of letters alone is a password and not a word of the sentence or the code. */
function isWordPassword(text: string, confidence: Confidence): boolean {
  if (confidence === 'mentioned' || [...text].length < LEAST_LETTERS) return false
  // Names of a program have capitals inside, and some speak of passwords.
  if (/pass|pwd/i.test(text) || (confidence === 'named' && isNameOfProgram(text))) return false
  return confidence === 'named' || !/(?:ed|ing|ly|able|ible)$/.test(text)
}

/** Whether capitals begin words inside of a text: `encodedCodePoints`. */
function isNameOfProgram(text: string): boolean {
  const words = text.match(/[A-Z]?[a-z]+|[A-Z]+/g) ?? []
  return words.length > 1 && /[a-z][A-Z]/.test(text) && words.every(({ length }) => length > 2)
}

/** Whether a text stands for a password that is elsewhere. */
export function isStandIn(text: string): boolean {
  if (PLACEHOLDER.test(text) || VARIABLE.test(text)) return true
  if (STAND_INS.test(text) || WORDS.has(text.toLowerCase()) || ADJECTIVES.test(text)) return true
  return (
    !/\d/.test(text) && (FOREIGN.test(text) || text.split(WORD_EDGES).every((word) => WORDS.has(word.toLowerCase())))
  )
}
