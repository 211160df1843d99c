// Who is signed in. The token stays in this tab: in this module, and in the session storage, so
// that a reload keeps it. It is never part of an address.

const AUTH = '/api/v2/auth'
const STORED = 'caracal-session'

/** `ends`: signing out ends a session; an API key is only forgotten. */
let session = { token: '', name: '', ends: false }
/** The token of a sign-in that waits for its second factor. */
let pending = ''
/** Called when the token is set or removed. */
const watchers = new Set()

const byId = (id) => document.getElementById(id)

export const onChange = (watcher) => watchers.add(watcher)
export const isSignedIn = () => session.token !== ''

/** Sends a request as the user. `basic` has a name and a password, for the sign-in. */
export function call({ method, url, body, type, basic, key = session.token }) {
  const headers = type ? { 'content-type': type } : {}
  if (basic) {
    const bytes = new TextEncoder().encode(basic.join(':'))
    headers.authorization = `Basic ${btoa(String.fromCharCode(...bytes))}`
  } else if (key) headers['x-api-key'] = key
  return fetch(url, { method, headers, body, credentials: 'omit', cache: 'no-store' })
}

function show(note) {
  byId('who').textContent = session.name || 'Sign in'
  byId('sign-out').hidden = session.token === ''
  byId('sign-in').hidden = pending !== '' || session.token !== ''
  byId('use-key').hidden = byId('sign-in').hidden
  byId('second-factor').hidden = pending === ''
  byId('account-note').textContent = note
  for (const watcher of watchers) watcher()
}

function become(next, note) {
  session = { token: '', name: '', ends: false, ...next }
  pending = ''
  if (session.token) {
    sessionStorage.setItem(STORED, JSON.stringify(session))
    byId('account').open = false
  } else sessionStorage.removeItem(STORED)
  show(note)
}

/** Calls `use` with the answer, or says why there is none; `wrong` is the text for 401. */
async function ask(request, use, wrong) {
  try {
    const response = await call(request)
    const answer = await response.json().catch(() => ({}))
    if (response.ok) return use(answer)
    const wait = response.headers.get('retry-after')
    const told = answer.message ?? `Refused: ${response.status}`
    const why = response.status === 401 && wrong ? wrong : told
    show(wait ? `${why}; try again in ${wait} s` : why)
  } catch (error) {
    show(`No answer: ${error.message}`)
  }
}

function signIn(event) {
  event.preventDefault()
  const [name, password] = [byId('email').value, byId('password').value]
  return ask({ method: 'POST', url: AUTH, basic: [name, password] }, ({ token, nextstep }) => {
    byId('password').value = ''
    if (!nextstep) return become({ token, name, ends: true }, 'Signed in.')
    pending = token
    show('A text message with a code is on its way to your phone.')
    byId('code').focus()
  })
}

function finish(event) {
  event.preventDefault()
  const body = JSON.stringify({ challenge: byId('code').value.trim() })
  const type = 'application/json'
  byId('code').value = ''
  return ask(
    { method: 'PUT', url: AUTH, body, type, key: pending },
    ({ token }) => become({ token, name: byId('email').value, ends: true }, 'Signed in.'),
    'This is not the code. Try again, or start again for a new one.'
  )
}

function useKey(event) {
  event.preventDefault()
  become({ token: byId('key').value.trim(), name: 'API key' }, 'The key is used from now on.')
  byId('key').value = ''
}

function signOut() {
  if (session.ends) call({ method: 'DELETE', url: AUTH }).catch(() => {})
  become({}, 'Signed out.')
}

/** Goes on with the session of this tab, unless it has ended in the meantime. */
function resume() {
  const stored = sessionStorage.getItem(STORED)
  if (!stored) return show('')
  become(JSON.parse(stored), '')
  call({ method: 'GET', url: '/api/v2/user/me' }).then(
    ({ status }) => status === 401 && become({}, 'The session has ended. Sign in again.'),
    () => {}
  )
}

export function startSession() {
  byId('sign-in').addEventListener('submit', signIn)
  byId('second-factor').addEventListener('submit', finish)
  byId('start-again').addEventListener('click', () => become({}, ''))
  byId('use-key').addEventListener('submit', useKey)
  byId('sign-out').addEventListener('click', signOut)
  resume()
}
