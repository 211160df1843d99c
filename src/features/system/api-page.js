// The API page. Data becomes text nodes only, never markup; the token lives in this module only.

const AUTH = '/api/v2/auth'
const METHODS = ['get', 'post', 'put', 'patch', 'delete']
const MAX_SHOWN = 200_000

let description = {}
let token = ''
/** A session ends with the sign-out; an API key is only forgotten. */
let isSession = false
/** Called when the token comes or goes. */
const watchers = new Set()

const byId = (id) => document.getElementById(id)

/** An element; attributes that are false or undefined are left out, `on...` are listeners. */
function h(tag, attributes, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value)
    else if (value !== false && value !== undefined) element.setAttribute(name, value)
  }
  element.append(...children.flat().filter((child) => child !== undefined))
  return element
}

// Schemas as text

function resolve(schema) {
  if (typeof schema !== 'object' || schema === null) return {}
  if (!schema.$ref) return schema
  const keys = schema.$ref.replace(/^#\//, '').split('/')
  return resolve(keys.reduce((at, key) => at?.[key], description))
}

const isNull = ({ type, enum: values }) =>
  type === 'null' || (values?.length === 1 && values[0] === null)

/** The ways a schema can be met: unions inside unions laid flat, null last and once. */
function variants(given) {
  const schema = resolve(given)
  const { nullable, ...plain } = schema
  if (isNull(schema)) return [{ type: 'null' }]
  const all = (schema.anyOf ?? schema.oneOf)?.flatMap(variants) ?? [plain]
  const some = all.filter((one) => !isNull(one))
  return nullable || some.length < all.length ? [...some, { type: 'null' }] : some
}

/** A type as in TypeScript: texts and spans for a <pre>. */
const typeOf = (schema, indent = '') =>
  variants(schema).flatMap((one, i) => [i > 0 ? ' | ' : '', ...oneType(one, indent)])

function oneType(schema, indent) {
  const { type, items, properties } = schema
  const values = schema.enum ?? (schema.const === undefined ? undefined : [schema.const])
  if (values) return [values.map((value) => JSON.stringify(value)).join(' | ')]
  if (type === 'object' || properties) return objectType(schema, indent)
  if (type !== 'array') return [type ?? 'any']
  const item = typeOf(items, indent)
  return variants(items).length > 1 ? ['(', ...item, ')[]'] : [...item, '[]']
}

function objectType(schema, indent) {
  const inner = `${indent}  `
  const lines = Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const mark = schema.required?.includes(name) ? '' : '?'
    const note = noteOf(resolve(property))
    const comment = note ? [h('span', { class: 'note' }, `   // ${note}`)] : []
    return [`\n${inner}${name}${mark}: `, ...typeOf(property, inner), ...comment]
  })
  const free = freeKeys(schema)
  if (free && lines.length === 0) return ['{ [key]: ', ...typeOf(free, indent), ' }']
  if (free) lines.push(`\n${inner}[key]: `, ...typeOf(free, inner))
  return lines.length > 0 ? ['{', ...lines, `\n${indent}}`] : ['{}']
}

/** What keys that are not listed hold, when the schema says something about them. */
function freeKeys({ additionalProperties, patternProperties }) {
  const [pattern] = Object.values(patternProperties ?? {})
  return pattern ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined)
}

function noteOf(schema) {
  const { minimum, maximum, minLength, maxLength } = schema
  const notes = [
    schema.description,
    minimum !== undefined && `at least ${minimum}`,
    maximum < Number.MAX_SAFE_INTEGER && `at most ${maximum}`,
    minLength > 0 && `at least ${minLength} characters`,
    maxLength !== undefined && `at most ${maxLength} characters`,
    schema.default !== undefined && `default ${JSON.stringify(schema.default)}`
  ]
  return notes.filter(Boolean).join('; ')
}

/** A body to begin with. What may be left out is there with an empty value. */
function exampleOf(given, name = 'text', isOptional = false) {
  const [schema = {}] = variants(given)
  const { type, items, properties = {}, required, minimum = 0, minLength = 0 } = schema
  const fixed = schema.example ?? schema.default ?? schema.const ?? schema.enum?.[0]
  if (fixed !== undefined) return fixed
  if (type === 'array') return isOptional ? [] : [exampleOf(items)]
  if (type === 'integer' || type === 'number') return minimum
  if (type === 'boolean') return false
  if (type === 'string') return isOptional && minLength === 0 ? '' : name
  // What the platform decides alone is no part of an example.
  const isIgnored = (property) => variants(property)[0]?.description?.startsWith('Ignored')
  const entries = Object.entries(properties)
    .filter(([, property]) => !isIgnored(property))
    .map(([key, property]) => [key, exampleOf(property, key, !required?.includes(key))])
  const free = freeKeys(schema)
  if (free && entries.length === 0 && !isOptional) entries.push(['key', exampleOf(free)])
  return Object.fromEntries(entries)
}

// Operations

function operationsOf({ paths }) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    METHODS.filter((method) => methods[method]).map((method) => {
      const operation = methods[method]
      const all = operation.parameters ?? []
      // A schema of free keys comes as parameters named after the words of the schema.
      const isReal = ({ name, schema }) =>
        typeof schema === 'object' && name !== 'additionalProperties'
      const isPath = ({ in: place }) => place === 'path'
      const real = all.filter(isReal)
      const parameters = [...real.filter(isPath), ...real.filter((one) => !isPath(one))]
      if (real.length < all.length) {
        const about = 'key=value&key=value, such as metadata filters'
        parameters.push({ name: 'free keys', in: 'free', description: about })
      }
      // Signing in is the one operation that wants e-mail and password instead of the token.
      if (path === AUTH && method === 'post') {
        parameters.push({ name: 'e-mail', in: 'basic', required: true })
        parameters.push({ name: 'password', in: 'basic', required: true, isSecret: true })
      }
      const [body] = Object.values(operation.requestBody?.content ?? {})
      if (body) parameters.push({ name: 'JSON body', in: 'body', schema: body.schema })
      return { ...operation, method, path, id: `${method}-${path}`, parameters, body: body?.schema }
    })
  )
}

function showOperation(operation) {
  const { id, method, path, summary = '', deprecated } = operation
  const parts = path.split(/(\{[^}]*\})/).map((part) => (part[0] === '{' ? h('i', {}, part) : part))
  const about = deprecated ? `${summary} (deprecated)` : summary
  const head = h(
    'summary',
    {},
    h('span', { class: `method ${method}` }, method.toUpperCase()),
    h('span', { class: 'path' }, parts),
    h('span', { class: 'about' }, about)
  )
  const element = h('details', { class: 'operation', id }, head)
  // The inside is made when it is first looked at, so that a long list is there at once.
  element.addEventListener('toggle', () => {
    if (element.open && element.children.length === 1) element.append(showInside(operation))
  })
  return element
}

function showInside(operation) {
  const answers = Object.entries(operation.responses ?? {}).flatMap(([status, answer]) => {
    const [content] = Object.values(answer.content ?? {})
    const about = answer.description === 'Default Response' ? '' : answer.description
    const body = content ? h('pre', {}, typeOf(content.schema)) : h('p', {}, 'Not described')
    return [h('div', { class: 'status' }, `${status} ${about}`), body]
  })
  return h(
    'div',
    {},
    operation.description ? h('p', {}, operation.description) : undefined,
    operation.body ? [h('h3', {}, 'Body'), h('pre', {}, typeOf(operation.body))] : undefined,
    h('h3', {}, 'Answers'),
    answers,
    h('h3', {}, 'Try it'),
    tryForm(operation)
  )
}

/** A labelled input; `read` answers its values as a list of texts. */
function fieldOf(operationId, parameter) {
  const { name, in: place, required, schema, description: about } = parameter
  const [{ type, ...limits }] = variants(schema)
  const input = inputFor({ ...parameter, id: `${operationId}-${place}-${name}` })
  const isList = type === 'array' && place !== 'body'
  const notes = [
    place === 'query' || place === 'path' ? place : '',
    required && 'required',
    place !== 'body' && noteOf({ ...limits, description: about }),
    isList && 'several with commas between'
  ]
  const read = () => {
    const values = isList ? input.value.split(',') : [input.value]
    return values.map((value) => value.trim()).filter((value) => value !== '')
  }
  const element = h(
    'div',
    { class: place === 'body' ? 'field wide' : 'field' },
    h('label', { for: input.id }, name),
    input,
    h('small', {}, notes.filter(Boolean).join('; '))
  )
  return { name, place, read, element }
}

function inputFor({ id, in: place, required, isSecret, schema }) {
  if (place === 'body') {
    const text = JSON.stringify(exampleOf(schema), null, 2)
    return h('textarea', { id, spellcheck: 'false', rows: text.split('\n').length + 1 }, text)
  }
  const all = variants(schema)
  const values = all.map((one) => one.enum ?? one.const)
  // Only where nothing but these values fits: `me | integer` is a field to type in.
  const isClosed = values.every((value) => value !== undefined)
  const choices = all[0].type === 'boolean' ? [true, false] : isClosed ? values.flat() : []
  if (choices.length > 0) {
    const options = ['', ...choices].map((choice) => h('option', {}, `${choice}`))
    return h('select', { id, required }, options)
  }
  return h('input', { id, required, type: isSecret && 'password', autocomplete: 'off' })
}

function tryForm(operation) {
  const fields = operation.parameters.map((parameter) => fieldOf(operation.id, parameter))
  const curl = h('pre', {})
  const answer = h('div', { role: 'status' })
  const button = h('button', { type: 'submit' }, 'Send')
  const showCurl = () => curl.replaceChildren(curlOf(requestOf(operation, fields)))
  const onsubmit = async (event) => {
    event.preventDefault()
    button.disabled = true
    answer.replaceChildren(...(await send(requestOf(operation, fields))))
    button.disabled = false
  }
  watchers.add(showCurl)
  showCurl()
  return h(
    'form',
    { onsubmit, oninput: showCurl, method: 'post' },
    fields.map(({ element }) => element),
    button,
    answer,
    h('h3', {}, 'The same with curl'),
    curl
  )
}

// Requests

function requestOf({ method, path }, fields) {
  const at = (place) => fields.filter((field) => field.place === place)
  const given = at('query').flatMap(({ name, read }) => read().map((value) => [name, value]))
  const more = new URLSearchParams(
    at('free')
      .flatMap(({ read }) => read())
      .join('&')
  )
  const query = new URLSearchParams([...given, ...more])
  const filled = path.replace(/\{([^}]*)\}/g, (_, name) => {
    const field = at('path').find((one) => one.name === name)
    return encodeURIComponent(field?.read().join(',') ?? '')
  })
  const url = `${location.origin}${filled}${query.size > 0 ? `?${query}` : ''}`
  const [body] = at('body').flatMap(({ read }) => read())
  const basic = at('basic').map(({ read }) => read().join(''))
  return { method: method.toUpperCase(), url, body, basic: basic.length > 0 ? basic : undefined }
}

const quote = (text) => `'${text.replaceAll("'", "'\\''")}'`

function curlOf({ method, url, body, basic }) {
  const key = basic ? '-u "$EMAIL:$PASSWORD"' : token && '-H "X-API-Key: $TOKEN"'
  const data = body && `-H 'Content-Type: application/json' -d ${quote(body)}`
  return [`curl -X ${method} ${quote(url)}`, key, data].filter(Boolean).join(' \\\n  ')
}

function call({ method, url, body, basic }) {
  const headers = body ? { 'content-type': 'application/json' } : {}
  if (basic) {
    const bytes = new TextEncoder().encode(basic.join(':'))
    headers.authorization = `Basic ${btoa(String.fromCharCode(...bytes))}`
  } else if (token) headers['x-api-key'] = token
  return fetch(url, { method, headers, body, credentials: 'omit', cache: 'no-store' })
}

async function send(request) {
  const start = performance.now()
  try {
    const response = await call(request)
    const text = await response.text()
    const ms = Math.round(performance.now() - start)
    const shown = pretty(text)
    const cut = shown.length > MAX_SHOWN ? `${shown.slice(0, MAX_SHOWN)}\n... cut here` : shown
    const line = `${response.status} ${response.statusText} in ${ms} ms, ${text.length} characters`
    const color = response.ok ? 'get' : 'delete'
    return [h('p', { class: `status ${color}` }, line), h('pre', {}, cut || '(no body)')]
  } catch (error) {
    return [h('p', { class: 'fault' }, `No answer: ${error.message}`)]
  }
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

// Signing in

function become(newToken, { name, note, ends = false }) {
  token = newToken
  isSession = ends
  byId('who').textContent = name || 'Sign in'
  byId('sign-out').hidden = token === ''
  byId('account-note').textContent = note
  if (name) byId('account').open = false
  for (const show of watchers) show()
}

async function signIn(event) {
  event.preventDefault()
  const [email, password] = [byId('email').value, byId('password').value]
  try {
    const response = await call({ method: 'POST', url: AUTH, basic: [email, password] })
    const answer = await response.json()
    if (!response.ok) return become('', { note: answer.message ?? `Refused: ${response.status}` })
    byId('password').value = ''
    const note = answer.nextstep
      ? `Next step ${answer.nextstep}: send the code with PUT ${AUTH} and use the new token as key.`
      : 'Signed in.'
    become(answer.token, { name: answer.nextstep ? undefined : email, note, ends: true })
  } catch (error) {
    become('', { note: `No answer: ${error.message}` })
  }
}

function signOut() {
  if (isSession) call({ method: 'DELETE', url: AUTH }).catch(() => {})
  become('', { note: 'Signed out.' })
}

function useKey(event) {
  event.preventDefault()
  become(byId('key').value.trim(), { name: 'API key', note: 'The key is used from now on.' })
  byId('key').value = ''
}

// The page

function showChapters(operations) {
  const chapters = Map.groupBy(operations, ({ tags }) => tags?.[0] ?? 'Other')
  const sections = [...chapters].map(([tag, members]) => {
    const heading = h('h2', { id: `chapter-${tag}` }, tag)
    return h('section', { 'aria-labelledby': heading.id }, heading, members.map(showOperation))
  })
  const links = [...chapters.keys()].map((tag) => h('a', { href: `#chapter-${tag}` }, tag))
  document.querySelector('nav').replaceChildren(...links)
  document.querySelector('main').replaceChildren(...sections)
}

function search() {
  const words = byId('search').value.toLowerCase().split(/\s+/)
  const operations = [...document.querySelectorAll('.operation')]
  for (const operation of operations) {
    const { textContent } = operation.firstChild
    const text = `${operation.parentElement.firstChild.textContent} ${textContent}`.toLowerCase()
    operation.hidden = !words.every((word) => text.includes(word))
  }
  for (const section of document.querySelectorAll('section')) {
    section.hidden = !section.querySelector('.operation:not([hidden])')
  }
  const found = operations.filter(({ hidden }) => !hidden).length
  byId('count').textContent = `${found} of ${operations.length}`
}

/** `#get-/api/v2/user/me` opens that operation. */
function openLinked() {
  const linked = byId(decodeURIComponent(location.hash.slice(1)))
  if (linked?.matches('.operation')) linked.open = true
  linked?.scrollIntoView()
}

function onKey(event) {
  if (event.key === 'Escape') byId('account').open = false
  if (event.key !== '/' || event.target.matches('input, textarea, select')) return
  event.preventDefault()
  byId('search').focus()
}

async function start() {
  byId('sign-in').addEventListener('submit', signIn)
  byId('use-key').addEventListener('submit', useKey)
  byId('sign-out').addEventListener('click', signOut)
  byId('search').addEventListener('input', search)
  addEventListener('hashchange', openLinked)
  addEventListener('keydown', onKey)
  try {
    description = await (await fetch('/docs/openapi.json')).json()
    showChapters(operationsOf(description))
    search()
    openLinked()
  } catch (error) {
    const text = `The description of the API cannot be read: ${error.message}`
    document.querySelector('main').replaceChildren(h('p', { class: 'fault' }, text))
  }
}

await start()
