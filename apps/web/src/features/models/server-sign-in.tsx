import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { Button, buttonClass } from '../../components/ui/button.tsx'
import { Notice } from '../../components/ui/notice.tsx'
import { ErrorBlock } from '../../components/ui/states.tsx'
import { api, unwrap } from '../../lib/api-client.ts'

/** Signs this server in to a server of tools, and out. The other side asks in a tab of its own. */
export function ServerSignIn({
  model,
  server,
  isSignedIn,
}: {
  readonly model: string
  readonly server: string
  readonly isSignedIn: boolean
}) {
  const { t } = useTranslation('models')
  const init = { params: { path: { model, server } } }
  const begin = useMutation({
    mutationFn: async () => (await unwrap(api.POST('/v1/mcp/sign-in/{model}/{server}', init))).url,
  })
  const end = useMutation({ mutationFn: async () => unwrap(api.DELETE('/v1/mcp/sign-in/{model}/{server}', init)) })
  const host = toHost(begin.data ?? '')
  return (
    <>
      <div className="row wrap">
        {isSignedIn ? (
          <Button small busy={end.isPending} onClick={() => end.mutate()}>
            {t('tools.signOut')}
          </Button>
        ) : (
          <Button small busy={begin.isPending} onClick={() => begin.mutate()}>
            {t('tools.signIn')}
          </Button>
        )}
      </div>
      {host !== undefined && !isSignedIn && (
        <Notice
          actions={
            <a className={buttonClass('small')} href={begin.data ?? ''} target="_blank" rel="noopener noreferrer">
              {t('tools.signInAt', { host })}
            </a>
          }
        >
          {t('tools.signInAbout')}
        </Notice>
      )}
      {begin.isError && <ErrorBlock error={begin.error} />}
      {end.isError && <ErrorBlock error={end.error} />}
    </>
  )
}

/** The host of an address that a browser may open. */
function toHost(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined
  const { protocol, host } = new URL(url)
  return protocol === 'https:' || protocol === 'http:' ? host : undefined
}
