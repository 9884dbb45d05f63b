import type { SecretKind } from './secret-kind.ts'

const LABEL = '(?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----'
/** A line break, also as an escape inside a string. */
const LINE_BREAK = '(?:\\r?\\n|\\\\r\\\\n|\\\\n)'
/** Lines of a key without its last line, with blanks for one on a single line. */
const KEY_LINES = `(?:${LINE_BREAK}[ \\t]*(?:[A-Za-z0-9+/=]+|[A-Za-z][A-Za-z-]*: [^\\r\\n]*)?| [A-Za-z0-9+/=]{16,})*[A-Za-z0-9+/=]`
/** Up to the END line when it comes before any other line of dashes; else to the end of the key. */
const PRIVATE_KEY = `-----BEGIN ${LABEL}(?:(?:[^-]|-{1,4}[^-])*-----END ${LABEL}|${KEY_LINES})?`

/** Secrets of keys, headers and assignments of any service. */
export const GENERAL_SECRETS: readonly SecretKind[] = [
  {
    name: 'private_key_block',
    group: 'PRIVATE_KEY',
    pattern: PRIVATE_KEY,
    anchor: 'PRIVATE KEY',
    isPlaceholderChecked: false,
    isAnywhere: true,
    example: '-----BEGIN PRIVATE KEY-----\nMIIBOgIBAAJBAKx\nq83sDf+/2w==\n-----END PRIVATE KEY-----',
    source: 'RFC 7468; product specification 2.11',
  },
  {
    name: 'jwt',
    group: 'JWT',
    pattern: 'eyJ[A-Za-z0-9_-]{7,}\\.eyJ[A-Za-z0-9_-]{7,}\\.[A-Za-z0-9_-]{10,}',
    anchor: 'eyJ',
    example:
      'eyJq7Kd2Wm9Rx4Tz1Vb8.eyJq7Kd2Wm9Rx4Tz1Vb8Hn5Ls3Pf6q7Kd2Wm9Rx4Tz1.q7Kd2Wm9Rx4Tz1Vb8Hn5Ls3Pf6q7Kd2Wm9Rx4Tz1Vb8',
    source: 'RFC 7519',
  },
  {
    name: 'age_secret_key',
    group: 'AGE_SECRET_KEY',
    pattern: 'AGE-SECRET-KEY-1[AC-HJ-NP-Z02-9]{58}',
    anchor: 'AGE-SECRET-KEY-1',
    isExact: true,
    example: 'AGE-SECRET-KEY-1K3V9X2Q7W5T0M8R4K3V9X2Q7W5T0M8R4K3V9X2Q7W5T0M8R4K3V9X2Q7W5',
    source: 'age specification',
  },
  {
    name: 'wireguard_private_key',
    group: 'WIREGUARD_PRIVATE_KEY',
    pattern: 'PrivateKey[ \\t]*=[ \\t]*[A-Za-z0-9+/]{43}=',
    anchor: 'PrivateKey',
    part: 'value',
    example: 'PrivateKey = q7Kd2Wm9Rx4Tz1Vb8Hn5Ls3Pf6q7Kd2Wm9Rx4Tz1Vb8=',
    source: 'WireGuard documentation, wg(8)',
  },
  {
    name: 'kubeconfig_client_key',
    group: 'KUBECONFIG_CLIENT_KEY',
    pattern: 'client-key-data:[ \\t]*[A-Za-z0-9+/]{100,}={0,2}',
    anchor: 'client-key-data:',
    part: 'value',
    example:
      'client-key-data: q7Kd2Wm9Rx4Tz1Vb8Hn5Ls3Pf6q7Kd2Wm9Rx4Tz1Vb8Hn5Ls3Pf6q7Kd2Wm9Rx4Tz1Vb8Hn5Ls3Pf6q7Kd2Wm9Rx4Tz1Vb8Hn5Ls3Pf6q7Kd2Wm9Rx4Tz1Vb8Hn5Ls3Pf6q7Kd2Wm9Rx4Tz1Vb8Hn5Ls3Pf6q7Kd',
    source: 'Kubernetes documentation, kubeconfig',
  },
  {
    name: 'netrc_password',
    group: 'NETRC_PASSWORD',
    pattern: 'machine[ \\t]+[^\\s]{1,253}\\s+login[ \\t]+[^\\s]{1,128}\\s+password[ \\t]+[^\\s\u00a0"\']{3,128}',
    anchor: 'machine',
    part: 'word',
    check: 'password',
    example: 'machine api.corp login ada password q7Kd2Wm9Rx4Tz1',
    source: 'GNU inetutils, .netrc',
  },
  {
    name: 'totp_secret',
    group: 'TOTP_SECRET',
    pattern: 'otpauth://(?:totp|hotp)/[^\\s?"\']{1,200}\\?(?:[^\\s"\']{0,100}&)?secret=[A-Z2-7]{16,}',
    anchor: 'otpauth://',
    part: 'last-value',
    example: 'otpauth://totp/Corp:ada?secret=K3V5X2Q7W4T6MRJBK3V5X2Q7W4T6MRJB',
    source: 'Key URI format of authenticators',
  },
  {
    name: 'bcrypt_hash',
    group: 'BCRYPT_HASH',
    pattern: '(?:\\$2a\\$|\\$2b\\$|\\$2y\\$)[0-9]{2}\\$[./A-Za-z0-9]{53}',
    anchor: '$2b$',
    example: '$2b$12$q7Kd2Wm9Rx4Tz1Vb8Hn5Ls3Pf6q7Kd2Wm9Rx4Tz1Vb8Hn5Ls3Pf6q',
    source: 'OpenBSD bcrypt(3)',
  },
  {
    name: 'argon2_hash',
    group: 'ARGON2_HASH',
    pattern: '\\$argon2(?:id|i|d)\\$v=[0-9]{2}\\$m=[0-9]+,t=[0-9]+,p=[0-9]+\\$[A-Za-z0-9+/]{8,}\\$[A-Za-z0-9+/]{16,}',
    anchor: '$argon2',
    example: '$argon2id$v=19$m=65536,t=3,p=4$q7Kd2Wm9Rx4Tz1Vb8Hn5Ls$q7Kd2Wm9Rx4Tz1Vb8Hn5Ls3Pf6q7Kd2Wm9Rx4Tz1Vb8',
    source: 'PHC string format',
  },
  {
    name: 'unix_password_hash',
    group: 'UNIX_PASSWORD_HASH',
    pattern:
      '(?:\\$5\\$|\\$6\\$|\\$y\\$)(?:rounds=[0-9]+\\$)?[./A-Za-z0-9]{1,24}(?:\\$[./A-Za-z0-9]{1,24})?\\$[./A-Za-z0-9]{43,86}',
    anchor: '$6$',
    example:
      '$6$q7Kd2Wm9Rx4Tz1Vb$q7Kd2Wm9Rx4Tz1Vb8Hn5Ls3Pf6q7Kd2Wm9Rx4Tz1Vb8Hn5Ls3Pf6q7Kd2Wm9Rx4Tz1Vb8Hn5Ls3Pf6q7Kd2Wm9',
    source: 'crypt(5)',
  },
  {
    name: 'bearer_token',
    group: 'BEARER_TOKEN',
    pattern:
      '(?:authorization|Authorization|AUTHORIZATION)["\'`]?[ \\t]{0,4}[:=,][ \\t]{0,4}["\'`]?(?:Bearer|bearer|Token|token)[ \\t]{1,4}[A-Za-z0-9._~+/-]{16,}=*',
    anchor: 'uthorization',
    isAnywhere: true,
    part: 'word',
    check: 'random',
    example: 'Authorization: Bearer q7Kd2Wm9Rx4Tz1Vb8Hn5Ls3Pf6q7Kd2Wm9Rx4Tz1',
    source: 'RFC 6750',
  },
  {
    name: 'basic_credentials',
    group: 'BASIC_CREDENTIALS',
    pattern:
      '(?:authorization|Authorization|AUTHORIZATION)["\'`]?[ \\t]{0,4}[:=,][ \\t]{0,4}["\'`]?(?:Basic|basic)[ \\t]{1,4}[A-Za-z0-9+/]{8,}={0,2}',
    anchor: 'uthorization',
    isAnywhere: true,
    part: 'word',
    check: 'random',
    example: 'Authorization: Basic q7Kd2Wm9Rx4Tz1Vb8Hn5Ls3Pf6q7',
    source: 'RFC 7617',
  },
  {
    name: 'api_key_header',
    group: 'API_KEY_HEADER',
    pattern:
      '(?:x-api-key|X-Api-Key|X-API-Key|X-API-KEY|x-auth-token|X-Auth-Token|X-AUTH-TOKEN|x-access-token|X-Access-Token)["\'`]?[ \\t]{0,4}[:=,][ \\t]{0,4}["\'`]?[A-Za-z0-9._~+/=-]{16,}',
    anchor: '-Key',
    isAnywhere: true,
    part: 'value',
    check: 'random',
    example: 'X-Api-Key: q7Kd2Wm9Rx4Tz1Vb8Hn5Ls3Pf6q7Kd2W',
    source: 'customary header fields',
  },
  {
    name: 'url_password',
    group: 'URL_PASSWORD',
    pattern: '[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\\s:/?#@"\'<>`(){}|]{1,64}:[^\\s/?#@"\'<>`(){}|]{3,128}@[A-Za-z0-9.-]+',
    anchor: '://',
    part: 'password',
    check: 'password',
    example: 'https://ada:q7Kd2Wm9Rx4Tz1@git.corp.internal',
    source: 'RFC 3986, user information',
  },
  {
    name: 'api_key_assignment',
    group: 'API_KEY_ASSIGNMENT',
    pattern:
      '(?:api_key|API_KEY|apiKey|ApiKey|api-key|apikey|APIKEY|Api-Key|access_key|ACCESS_KEY|accessKey|AccessKey|access-key|accesskey|ACCESSKEY|Access-Key|app_key|APP_KEY|appKey|AppKey|app-key|appkey|APPKEY|App-Key|encryption_key|ENCRYPTION_KEY|encryptionKey|EncryptionKey|encryption-key|encryptionkey|ENCRYPTIONKEY|Encryption-Key|signing_key|SIGNING_KEY|signingKey|SigningKey|signing-key|signingkey|SIGNINGKEY|Signing-Key|private_key|PRIVATE_KEY|privateKey|PrivateKey|private-key|privatekey|PRIVATEKEY|Private-Key)["\'`]?[ \\t]{0,4}(?:=>|:=|=|:)[ \\t]{0,4}["\'`]?[A-Za-z0-9_/+=~-]{16,}',
    anchor: 'api_key',
    isAnywhere: true,
    part: 'value',
    check: 'random',
    example: 'api_key = "q7Kd2Wm9Rx4Tz1Vb8Hn5Ls3Pf6q7Kd2W',
    source: 'customary names of settings',
  },
  {
    name: 'secret_assignment',
    group: 'SECRET_ASSIGNMENT',
    pattern:
      '(?:client_secret|CLIENT_SECRET|clientSecret|ClientSecret|client-secret|clientsecret|CLIENTSECRET|Client-Secret|app_secret|APP_SECRET|appSecret|AppSecret|app-secret|appsecret|APPSECRET|App-Secret|secret_key|SECRET_KEY|secretKey|SecretKey|secret-key|secretkey|SECRETKEY|Secret-Key|api_secret|API_SECRET|apiSecret|ApiSecret|api-secret|apisecret|APISECRET|Api-Secret|shared_secret|SHARED_SECRET|sharedSecret|SharedSecret|shared-secret|sharedsecret|SHAREDSECRET|Shared-Secret|webhook_secret|WEBHOOK_SECRET|webhookSecret|WebhookSecret|webhook-secret|webhooksecret|WEBHOOKSECRET|Webhook-Secret|jwt_secret|JWT_SECRET|jwtSecret|JwtSecret|jwt-secret|jwtsecret|JWTSECRET|Jwt-Secret|secret|SECRET|Secret)["\'`]?[ \\t]{0,4}(?:=>|:=|=|:)[ \\t]{0,4}["\'`]?[A-Za-z0-9_/+=~-]{16,}',
    anchor: 'secret',
    isAnywhere: true,
    part: 'value',
    check: 'random',
    example: 'client_secret: q7Kd2Wm9Rx4Tz1Vb8Hn5Ls3Pf6q7Kd2W',
    source: 'customary names of settings',
  },
  {
    name: 'token_assignment',
    group: 'TOKEN_ASSIGNMENT',
    pattern:
      '(?:access_token|ACCESS_TOKEN|accessToken|AccessToken|access-token|accesstoken|ACCESSTOKEN|Access-Token|auth_token|AUTH_TOKEN|authToken|AuthToken|auth-token|authtoken|AUTHTOKEN|Auth-Token|refresh_token|REFRESH_TOKEN|refreshToken|RefreshToken|refresh-token|refreshtoken|REFRESHTOKEN|Refresh-Token|id_token|ID_TOKEN|idToken|IdToken|id-token|idtoken|IDTOKEN|Id-Token|bot_token|BOT_TOKEN|botToken|BotToken|bot-token|bottoken|BOTTOKEN|Bot-Token|api_token|API_TOKEN|apiToken|ApiToken|api-token|apitoken|APITOKEN|Api-Token|token|TOKEN|Token)["\'`]?[ \\t]{0,4}(?:=>|:=|=|:)[ \\t]{0,4}["\'`]?[A-Za-z0-9_/+=~-]{16,}',
    anchor: 'token',
    isAnywhere: true,
    part: 'value',
    check: 'random',
    example: 'auth_token=q7Kd2Wm9Rx4Tz1Vb8Hn5Ls3Pf6q7Kd2W',
    source: 'customary names of settings',
  },
  {
    name: 'password_assignment',
    group: 'PASSWORD_ASSIGNMENT',
    pattern:
      '(?:password|PASSWORD|Password|passwd|PASSWD|Passwd|passphrase|PASSPHRASE|Passphrase|db_pass|DB_PASS|dbPass|DbPass|db-pass|dbpass|DBPASS|Db-Pass)["\'`]?[ \\t]{0,4}(?:=>|:=|=|:)[ \\t]{0,4}["\'`]?[^\\s"\'`,;<>(){}\\[\\]]{8,64}',
    anchor: 'password',
    isAnywhere: true,
    part: 'value',
    check: 'password',
    example: 'password = "q7Kd2Wm9Rx4Tz1',
    source: 'customary names of settings',
  },
]
