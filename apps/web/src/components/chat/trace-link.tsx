import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { useCapabilities } from '../../lib/capabilities.ts'
import { useSession } from '../../lib/session.ts'
import { buttonClass } from '../ui/button.tsx'

/** Link for admins to the traces of a request. @param correlationId undefined if the reply had none */
export function TraceLink({ correlationId }: { readonly correlationId: string | undefined }) {
  const { t } = useTranslation()
  const { viewer } = useSession()
  const { traces } = useCapabilities()
  if (correlationId === undefined || !viewer.isAdmin || !traces) return null
  return (
    <Link
      className={buttonClass('ghost', 'small')}
      to={'/app/traces' as string}
      search={{ q: correlationId, hours: 168 } as object}
    >
      {t('error.trace')}
    </Link>
  )
}
