import { PageHead } from '../../components/ui/page-head.tsx'

export function SignInPage() {
  return <PageHead title="Sign in" />
}
