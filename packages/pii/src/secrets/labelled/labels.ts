const any = (...labels: readonly string[]): string => `(?:${labels.join('|')})`

/**
 * Names of passwords in settings and in sentences of many languages. A first letter that people write small and large
 * is missing.
 */
export const PASSWORD_LABELS = any(
  ...[
    'password',
    'Password',
    'PASSWORD',
    'asswd',
    'PASSWD',
    'assphrase',
    'PASSPHRASE',
    'asswort',
    'PASSWORT',
    'ennwort',
  ],
  ...['ot de passe', 'MOT DE PASSE', 'mot_de_passe', 'ontraseña', 'ontrasena', 'CONTRASEÑA', "arola d'ordine"],
  ...[
    'alavra-passe',
    'senha',
    'Senha',
    'SENHA',
    'achtwoord',
    'WACHTWOORD',
    'asło',
    'HASŁO',
    'haslo',
    'ароль',
    'ПАРОЛЬ',
  ],
  ...['mdp', 'Mdp', 'MDP', 'motdepasse', 'MOT_DE_PASSE', 'clave', 'Clave', 'CLAVE', 'arola_chiave', 'PAROLA_CHIAVE'],
  ...[
    ...[...'是为:："“ =«'].map((mark) => `密码${mark}`),
    '卡密码',
    '密碼是',
    '密碼：',
    '密碼:',
    '口令是',
    '口令：',
    '口令:',
    'パスワード',
    '비밀번호',
    'şifre',
    'Şifre',
    'ösenord',
  ],
  ...[
    'dgangskode',
    'pwd',
    'Pwd',
    'PWD',
    'pw=',
    'pw:',
    'PW=',
    'PW:',
    'pw is',
    'pass=',
    'pass:',
    'pass =',
    'Pass=',
    'Pass:',
  ],
  ...['Pass =', 'PASS=', 'PASS:', 'PASS =', 'pass"', "pass'", 'storepass', 'keypass'],
)

/** The ways to write a name of two words: `api_key`, `API_KEY`, `apiKey` and five more. */
function spell(first: string, second: string): string[] {
  const [one, two] = [first, second].map((word) => word.charAt(0).toUpperCase() + word.slice(1))
  return [
    ...[
      `${first}_${second}`,
      `${first}_${second}`.toUpperCase(),
      `${first}${two}`,
      `${one}${two}`,
      `${first}-${second}`,
    ],
    ...[`${first}${second}`, `${first}${second}`.toUpperCase(), `${one}-${two}`],
  ]
}

/** Names of keys. */
export const KEY_LABELS = any(
  ...['api', 'access', 'app', 'encryption', 'signing', 'private', 'auth'].flatMap((word) => spell(word, 'key')),
  ...['API key', 'api key', 'API Key', 'master_key', 'MASTER_KEY', 'masterKey'],
)
export const SECRET_LABELS = any('secret', 'SECRET', 'Secret')
export const TOKEN_LABELS = any('token', 'TOKEN', 'Token')

/** Names of headers. */
export const HEADER_LABELS = any(
  ...['x-api-key', 'X-Api-Key', 'X-API-Key', 'X-API-KEY', 'x-auth-token', 'X-Auth-Token', 'X-AUTH-TOKEN'],
  ...['x-access-token', 'X-Access-Token', 'Subscription-Key', 'subscription-key', 'x-functions-key', 'X-Auth-Key'],
)
export const AUTHORIZATION_LABELS = any('authorization', 'Authorization', 'AUTHORIZATION')
/** The scheme, and functions that send its tokens. */
export const BEARER_LABELS = any('Bearer', 'bearer', 'BEARER', 'bearerAuth', 'BearerAuth', 'bearer_auth')
/** Functions whose texts are an address, a user and a password. */
const THREE_TEXTS = ['mysqli_connect', 'getConnection', 'new PDO']
export const BASIC_CALL_LABELS = any(
  'basic_auth',
  'basicAuth',
  'BasicAuth',
  'Credentials\\.basic',
  'HTTPBasicAuth',
  'auth=',
  'auth =',
  ...THREE_TEXTS,
  '\\.login',
)

/** Programs and words of SQL before a password. */
export const ARGUMENT_LABELS = any(
  ...[
    'curl ',
    'docker login',
    'podman login',
    'registry login',
    'az login',
    'sshpass',
    'mysql ',
    'mysqldump ',
    'mariadb ',
  ],
  ...[
    'mysqladmin ',
    'redis-cli',
    'ldapsearch',
    'ldapmodify',
    'ldapadd',
    'ldappasswd',
    'smbclient',
    'htpasswd',
    'openssl ',
  ],
  ...[
    'unzip ',
    '7z a',
    '7z x',
    '7za ',
    'zip -P',
    'sqlcmd ',
    'bcp ',
    'mongosh ',
    'mongo ',
    'mongodump',
    'wget ',
    'net user',
  ],
  ...['rabbitmqctl', 'lftp ', 'xfreerdp', 'rdesktop ', 'impdp ', 'sqlplus ', 'oc login', 'npx '],
  ...[' -u ', ' --user ', ' -U ', ' --username ', 'IDENTIFIED ', 'identified by', 'Identified by'],
)

/** Names of codes of a few characters, in small letters; people also begin them with a capital. */
const CODE_NAMES = [
  ...['pin code', 'pin-code', 'pincode', 'passcode', 'one-time code', 'one-time password', 'verification code'],
  ...[
    'security code',
    'access code',
    'entry code',
    'door code',
    'gate code',
    'alarm code',
    'login code',
    'unlock code',
  ],
  ...['confirmation code', 'authentication code', 'backup code', 'recovery code', '2fa code', 'sms code', 'otp code'],
  ...['geheimzahl', 'zugangscode', 'bestätigungscode', 'sicherheitscode', 'türcode', 'code d’accès', "code d'accès"],
  ...['code de vérification', 'código de verificación', 'código de acceso', 'código de seguridad'],
  ...['codice di verifica', 'codice di accesso', 'código de verificação', 'código de acesso', 'verificatiecode'],
  ...['toegangscode', 'kod weryfikacyjny', 'kod dostępu', 'код подтверждения', 'код доступа', 'пин-код'],
]
/** Names that are written in capitals, or that stand in no longer word. */
const SHORT_NAMES = ['PIN', 'pin is', 'pin: ', 'pin=', 'OTP', 'CVV', 'CVC', 'TAN', '2FA code', 'SMS code', 'OTP code']
const EASTERN_NAMES = ['验证码', '安全码', '確認コード', '認証コード', '暗証番号']
/** Names of the code of three or four digits on a card. */
const CARD_CODES = ['cvv', 'cvc', 'ryptogramme', 'rüfziffer']
/** Names of codes of things, with the first letter of the thing's article. */
const CODES_OF_THINGS = [
  ...['ode du ', 'ode de l', 'ode pour l', 'ode für d', 'ode zum ', 'ode zur ', 'ode for the ', 'ode to the '],
  ...['ódigo d', 'odigo d', 'odice d', 'in de l', 'in do ', 'in da ', 'in del ', 'in der ', 'in für d', 'digicode'],
]
export const CODE_LABELS = any(
  ...[...SHORT_NAMES, ...EASTERN_NAMES, ...CARD_CODES, ...CODES_OF_THINGS],
  ...new Set(CODE_NAMES.map((name) => name.slice(1))),
)

/** Whether a match of {@link BASIC_CALL_LABELS} is called with an address in front. */
export function hasAddressFirst(name: string): boolean {
  return THREE_TEXTS.includes(name)
}

/** Whether a match of {@link CODE_LABELS} begins the code of a thing. */
export function isCodeOfThing(text: string, start: number, end: number): boolean {
  const name = text.slice(start, end)
  if (!CODES_OF_THINGS.includes(name)) return false
  const before = text.slice(Math.max(0, start - 2), start)
  return (name === 'digicode' ? /(?:^|[^\p{L}])$/u : /(?:^|[^\p{L}])[cp]$/iu).test(before)
}

/** Whether such a match names the code of a card. */
export function isCodeOfCard(text: string, start: number, end: number): boolean {
  return CARD_CODES.includes(text.slice(start, end)) || /^(?:CV[VC]|安全码)$/.test(text.slice(start, end))
}

const WHOLE_NAMES = new Set(CODE_NAMES)
const OTHER_NAMES = new Set([...SHORT_NAMES, ...EASTERN_NAMES])

/** Whether a match of {@link CODE_LABELS} is a whole name and not the end of a longer one. */
export function isNameOfCode(text: string, start: number, end: number): boolean {
  const name = text.slice(start, end)
  if (!OTHER_NAMES.has(name))
    return WHOLE_NAMES.has(text.slice(start - 1, end).toLowerCase()) && !isLetter(text, start - 2)
  return name.charCodeAt(0) > 0x7f || !isLetter(text, start - 1)
}

function isLetter(text: string, at: number): boolean {
  return /^\p{L}/u.test(text.charAt(at))
}
