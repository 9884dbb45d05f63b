import { useTranslation } from 'react-i18next'
import { Notice } from '../../components/ui/notice.tsx'
import { ApiError } from '../../lib/api-error.ts'
import { readPasswordRefusal } from '../../lib/password-refusal.ts'

/** The reason why a form was refused. A refused password is shown at its field instead. */
export function FormFailure({ error }: { readonly error: unknown }) {
  const { t } = useTranslation('sign-in')
  if (error === null || error === undefined || readPasswordRefusal(error) !== undefined) return null
  const status = error instanceof ApiError ? error.status : undefined
  const text =
    status === 0
      ? t('error.unreachable')
      : status === 429
        ? t('failure.tooMany')
        : error instanceof Error
          ? error.message
          : String(error)
  return <Notice tone="bad">{text}</Notice>
}
