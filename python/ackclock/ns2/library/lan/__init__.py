"""Shared media."""
