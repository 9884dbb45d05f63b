import { CHAT_SECRETS } from './chat.ts'
import { CLOUDS_SECRETS } from './clouds.ts'
import { CODE_HOSTS_SECRETS } from './code-hosts.ts'
import { DATABASES_SECRETS } from './databases.ts'
import { GENERAL_SECRETS } from './general.ts'
import { MAIL_SECRETS } from './mail.ts'
import { MODELS_SECRETS } from './models.ts'
import { MONITORING_SECRETS } from './monitoring.ts'
import { OFFICE_SECRETS } from './office.ts'
import { PAYMENTS_SECRETS } from './payments.ts'
import type { SecretKind } from './secret-kind.ts'

/** The kinds of secrets, the more specific before the more general. */
export const SECRET_KINDS: readonly SecretKind[] = [
  ...MODELS_SECRETS,
  ...CODE_HOSTS_SECRETS,
  ...CLOUDS_SECRETS,
  ...PAYMENTS_SECRETS,
  ...CHAT_SECRETS,
  ...MAIL_SECRETS,
  ...OFFICE_SECRETS,
  ...MONITORING_SECRETS,
  ...DATABASES_SECRETS,
  ...GENERAL_SECRETS,
]
