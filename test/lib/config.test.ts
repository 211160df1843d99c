import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigError, readConfig } from '../../src/config.ts'
import { passwordFault } from '../../src/lib/password-rules.ts'

test('readConfig', () => {
  const f = (env: Record<string, string>, want: RegExp | Record<string, unknown>) => {
    const given = Object.fromEntries(Object.entries(env).map(([k, v]) => [`CARACAL_${k}`, v]))
    if (want instanceof RegExp) {
      assert.throws(
        () => readConfig(given),
        (error) => {
          assert(error instanceof ConfigError)
          assert.match(error.message, want)
          assert(!error.message.includes('\n'))
          return true
        }
      )
    } else {
      const config: Record<string, unknown> = readConfig(given)
      for (const [key, value] of Object.entries(want)) assert.deepEqual(config[key], value, key)
    }
  }
  const pair = (password: string) => ({ ADMIN_EMAIL: 'a@b', ADMIN_PASSWORD: password })

  f({}, { HOST: '127.0.0.1', HTTP_PORT: 8080, MQTT_PORT: 1883, MQTTS_PORT: 8883, TIMEZONE: 'UTC' })
  f({ HTTP_PORT: '', HOST: '' }, { HTTP_PORT: 8080, HOST: '127.0.0.1' })
  f({ HTTP_PORT: '9000' }, { HTTP_PORT: 9000 })
  f({ HTTP_PORT: '9000.5' }, /HTTP_PORT: must be a whole number from 0 to 65535, got "9000.5"/)
  f({ HTTP_PORT: '-1' }, /HTTP_PORT/)
  f({ HTTP_PORT: '65536' }, /HTTP_PORT/)
  f({ MQTT_PORT: 'off' }, { MQTT_PORT: 'off' })
  f({ MQTT_PORT: '0' }, { MQTT_PORT: 0 })
  f({ MQTT_PORT: 'on' }, /MQTT_PORT: must be a whole number from 0 to 65535, or off, got "on"/)
  f({ MQTT_PORT: '65536' }, /MQTT_PORT: must be a whole number from 0 to 65535, or off/)
  f({ HTTP_PORT: 'off' }, /HTTP_PORT: must be a whole number from 0 to 65535, got "off"/)
  f({ RETENTION_DAYS: 'x' }, /RETENTION_DAYS/)
  f({ BACKUP_DIR: '/b', BACKUP_EVERY: '15m' }, { BACKUP_DIR: '/b', BACKUP_EVERY: '15m' })
  for (const every of ['0m', '15', '367d', '1.5h', '15 m', '-1d', '9999999m']) {
    f({ BACKUP_EVERY: every }, /^CARACAL_BACKUP_EVERY: must be from 1m to 366d/)
  }
  f({ BACKUP_KEEP: '0' }, /BACKUP_KEEP: must be a whole number from 1 to 10000/)
  f({ DATA_DIR: '/d', BACKUP_DIR: '/d/backups' }, /BACKUP_DIR: must not be inside of \/d$/)
  f({ FILES_DIR: '/f', BACKUP_DIR: '/f' }, /BACKUP_DIR: must not be inside of \/f$/)
  f({ DATA_DIR: '/d', BACKUP_DIR: '/d-backups' }, { BACKUP_DIR: '/d-backups' })
  f({ QUOTA_ORGANIZATION: 'topics=5, files=0' }, { QUOTA_ORGANIZATION: 'topics=5, files=0' })
  const wrong = ['topics', 'topics=x', 'topics=-1', 'topics=1.5', 'toString=1', 'x=1', 'topics=1=2']
  for (const part of wrong) {
    f(
      { QUOTA_INSTALLATION: `files=1,${part}` },
      /QUOTA_INSTALLATION: ".+" must be name=number with/
    )
  }
  const origins = 'https://app.example.org, http://localhost:5173'
  f({ CORS_ORIGINS: origins }, { CORS_ORIGINS: origins })
  f({ CORS_ORIGINS: '*' }, { CORS_ORIGINS: '*' })
  for (const part of [
    ...['app.example.org', 'https://app.example.org/', 'https://App.example.org', 'null'],
    ...['https://app.example.org:443', 'https://*.example.org', 'ftp://example.org', '*']
  ]) {
    f(
      { CORS_ORIGINS: `http://localhost:5173,${part}` },
      /^CARACAL_CORS_ORIGINS: ".+" must be an origin such as https:\/\/app\.example\.org, or \* alone$/
    )
  }
  f({ NOPE: '1' }, /CARACAL_NOPE is not a setting/)
  f({ toString: '1' }, /CARACAL_toString is not a setting/)
  f({ HOST_FILE: '/etc/hostname' }, /CARACAL_HOST_FILE is not a setting/)
  f({ ADMIN_PASSWORD_FILE: '/nowhere' }, /cannot read \/nowhere/)
  f({ ADMIN_PASSWORD_FILE: '', REGISTRY_URL_FILE: '' }, { ADMIN_PASSWORD: '', REGISTRY_URL: '' })
  f({ REGISTRY_URL: 'postgres://a/b', REGISTRY_URL_FILE: '' }, { REGISTRY_URL: 'postgres://a/b' })
  f({ REGISTRY_URL: '', REGISTRY_URL_FILE: '/nowhere' }, /cannot read \/nowhere/)
  f({ REGISTRY_URL: '', REGISTRY_URL_FILE: '/dev/null' }, { REGISTRY_URL: '' })
  f({ NOPE_FILE: '' }, /CARACAL_NOPE_FILE is not a setting/)
  f({ ADMIN_PASSWORD: 'x', ADMIN_PASSWORD_FILE: '/dev/null' }, /given twice/)
  f({ ADMIN_EMAIL: 'a@b' }, /ADMIN_EMAIL: must be set together with CARACAL_ADMIN_PASSWORD/)
  f({ ADMIN_PASSWORD: 'long enough here' }, /ADMIN_EMAIL: must be set together/)
  f(pair('short'), /ADMIN_PASSWORD: password must have at least 8/)
  f(pair('baseball'), /ADMIN_PASSWORD: password is one of the most common/)
  f(pair('correct horse'), { ADMIN_PASSWORD: 'correct horse' })
  f({ ...pair('correct horse'), ADMIN_EMAIL: 'nobody' }, /must be an e-mail address/)
  f({ TLS_CERT_PATH: 'x' }, /TLS_CERT_PATH: must be set together with CARACAL_TLS_KEY_PATH/)
  const tls = { TLS_CERT_PATH: 'x', TLS_KEY_PATH: 'y', TLS_CLIENT_CA_PATH: 'z' }
  f(tls, tls)
  f({ TLS_CLIENT_CA_PATH: 'x' }, /TLS_CLIENT_CA_PATH: needs CARACAL_TLS_CERT_PATH/)
  f({ ...tls, BUS_URL: 'mqtt://x' }, /TLS_CLIENT_CA_PATH: cannot be set with CARACAL_BUS_URL/)
  f({ TIMEZONE: 'Europe/Stockholm' }, { TIMEZONE: 'Europe/Stockholm' })
  f({ TIMEZONE: 'Nowhere' }, /TIMEZONE/)
  f({ REGISTRY_URL: 'postgres://a:b@c/d' }, { REGISTRY_URL: 'postgres://a:b@c/d' })
  f({ REGISTRY_URL: 'sqlite:x' }, /REGISTRY_URL: must begin with/)
  const server = { HISTORY_URL: 'https://me:p%2Fw@ch:8443/caracal' }
  f(server, { ...server, HISTORY_CLUSTER: '', HISTORY_QUORUM: 0 })
  f({ ...server, HISTORY_CLUSTER: 'east-1', HISTORY_QUORUM: '2' }, { HISTORY_QUORUM: 2 })
  f({ ...server, HISTORY_CLUSTER: 'a`b' }, /HISTORY_CLUSTER: must be a name/)
  f({ ...server, HISTORY_QUORUM: '2' }, /HISTORY_QUORUM: needs CARACAL_HISTORY_CLUSTER/)
  f({ HISTORY_CLUSTER: 'east' }, /HISTORY_CLUSTER: needs a ClickHouse server/)
  for (const end of ['', '/', '/a/b', '/a-b', '/1a', "/a'b", '/a?x=1', '/a%60b']) {
    f({ HISTORY_URL: `http://ch:8123${end}` }, /HISTORY_URL: must end with \/database/)
  }
  f({ HISTORY_URL: 'tcp://ch:9000/caracal' }, /HISTORY_URL: must begin with/)
  f(
    { HISTORY_URL: 'chdb:' },
    /HISTORY_URL: must not name an embedded engine; leave it empty for SQLite/
  )
  f({ HISTORY_URL: 'sqlite:' }, /HISTORY_URL: must not name an embedded engine/)
  f({ BUS_URL: 'tcp://x' }, /BUS_URL/)
  const proxies = '10.0.0.1,10.1.0.0/16,fd00::/8,::1,loopback,uniquelocal'
  f({ TRUSTED_PROXIES: proxies }, { TRUSTED_PROXIES: proxies })
  for (const wrong of ['true', '*', 'proxy.example.org', '10.0.0.0/33', '1.2.3.4/8/8', '10.0.0']) {
    f(
      { TRUSTED_PROXIES: `10.0.0.1,${wrong}` },
      /TRUSTED_PROXIES: ".*" is not an address or a network/
    )
  }
  f({ BUS_URL: 'mqtt://x', BUS_CA_PATH: 'x' }, /BUS_CA_PATH: needs a CARACAL_BUS_URL.*mqtts/)
  f({ BUS_URL: 'mqtt://' }, /BUS_URL: must name a host/)
  f({ BUS_URL: 'mqtt://a:%zz@x' }, /BUS_URL: write a % in the name or password/)
  const BUS_URL = 'mqtt://a:b@x'
  f({ BROKER_KEY: 'x'.repeat(22) }, /BROKER_KEY: needs a CARACAL_BUS_URL/)
  f({ BUS_URL: 'mqtt://x', BROKER_KEY: 'x'.repeat(22) }, /BROKER_KEY: needs .* a password/)
  f({ BUS_URL, BROKER_KEY: 'x'.repeat(21) }, /BROKER_KEY: must be 22 or more/)
  f({ BUS_URL, BROKER_KEY: 'ö'.repeat(22) }, /BROKER_KEY: must be 22 or more/)
  f({ BUS_URL, BROKER_KEY: 'a-_9'.repeat(8) }, { BROKER_KEY: 'a-_9'.repeat(8) })
  f({ SMS_URL: 'http://sms.example.org/' }, /SMS_URL: must begin with https/)
  f({ SMS_URL: 'http://a:b@localhost:9/' }, { SMS_URL: 'http://a:b@localhost:9/' })
  f({}, { NOTIFY_PRIVATE_NETWORKS: '' })
  f({ NOTIFY_PRIVATE_NETWORKS: '::1,10.0.0.0/8' }, { NOTIFY_PRIVATE_NETWORKS: '::1,10.0.0.0/8' })
  f(
    { NOTIFY_PRIVATE_NETWORKS: '::1,localhost' },
    /NOTIFY_PRIVATE_NETWORKS: "localhost" is not an address or a network/
  )
  f({ SYSTEM_ACCOUNTS: 'push:secret,other:pass' }, { SYSTEM_ACCOUNTS: 'push:secret,other:pass' })
  f({ SYSTEM_ACCOUNTS: 'push' }, /SYSTEM_ACCOUNTS: must be name:password/)
  f({ LOG_LEVEL: 'loud' }, /LOG_LEVEL: must be fatal, error/)
})

test('passwordFault', () => {
  const f = (password: string, want: RegExp | undefined) => {
    const fault = passwordFault(password)
    if (want) assert.match(fault ?? '', want)
    else assert.equal(fault, undefined)
  }
  f('1234567', /at least 8/)
  f('Password', /most common/)
  f('x'.repeat(257), /at most 256/)
  f('x'.repeat(256), undefined)
  f('🐈🐈🐈🐈🐈🐈🐈', /at least 8/)
  f('å'.repeat(8), undefined)
})
