#!/bin/sh
# Makes the files that compose.yaml reads from ./secrets. Existing files stay. Others cannot open the
# directory, and the users of the containers can read the files in it.
set -eu
cd "$(dirname "$0")"
umask 077
mkdir -p secrets
cd secrets

random() { openssl rand -hex 24; }
# name value
keep() { [ -e "$1" ] || printf '%s\n' "$2" > "$1"; }

keep admin_password "$(random)"
keep postgres_password "$(random)"
keep clickhouse_password "$(random)"
keep bus_password "$(random)"
keep registry_url "postgres://caracal:$(cat postgres_password)@postgres:5432/caracal"
keep history_url "http://caracal:$(cat clickhouse_password)@clickhouse:8123/caracal"
keep bus_url "mqtt://caracal:$(cat bus_password)@emqx:1883"
keep broker_key "$(random)"
keep emqx_hocon "$(sed -e "s/Bearer BROKER_KEY/Bearer $(cat broker_key)/" -e 's/127\.0\.0\.1:8080/nodes:8080/' ../emqx/caracal.hocon)"
keep emqx.env "EMQX_NODE__COOKIE=$(random)"
# A certificate for a first try. Gateways need one that they trust.
[ -e mqtt_cert ] || openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes \
  -days 365 -subj "/CN=${CARACAL_DOMAIN:-localhost}" \
  -addext "subjectAltName=DNS:${CARACAL_DOMAIN:-localhost}" \
  -keyout mqtt_key -out mqtt_cert 2> /dev/null
chmod 444 ./*
echo "secrets/ is ready; the administrator's password is in secrets/admin_password"
