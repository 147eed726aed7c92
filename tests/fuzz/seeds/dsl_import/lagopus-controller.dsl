# Two raw-socket ports and a controller, as in the ancestor's quick start.
log -syslog
datastore -addr 0.0.0.0 -port 12345 -protocol tcp -tls false

channel channel01 create -dst-addr 127.0.0.1 -protocol tcp
controller controller01 create -channel channel01 -role equal -connection-type main

interface interface01 create -type ethernet-rawsock -device h1-br
interface interface02 create -type ethernet-rawsock -device h2-br

port port01 create -interface interface01
port port02 create -interface interface02

bridge bridge01 create -controller controller01 -port port01 1 -port port02 2 -dpid 0x1
bridge bridge01 enable
